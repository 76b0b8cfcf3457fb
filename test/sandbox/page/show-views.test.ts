import { describe, expect, it } from 'vitest';
import { newBookSecret } from '../../../src/sandbox/books/book-secret.ts';
import { keepPayments } from '../../../src/sandbox/books/payment-book.ts';
import { showBatches, showDays, showPayments } from '../../../src/sandbox/page/show-views.ts';
import { NOW } from '../support/make-context.ts';

describe('the views of many payments', () => {
  it('stay small and open nothing that is sealed', () => {
    const payments = keepPayments(newBookSecret(), () => undefined, 1);
    for (let index = 0; index < 20_000; index += 1) {
      const at = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
      const row = { ...ROW, at, invoice: `I-${index}`, transactionId: `A6${index}` };
      payments.keepTransaction({ kind: 'transaction', row, method: 'card', payer: 'not to be opened' });
    }
    const query = new URLSearchParams('q=I-19999&page=1');
    const views = [showPayments, showDays, showBatches].map((show) => show(query, payments.rows(), new Date(NOW)).text);
    expect(views[0]).toContain('<p>1 payment.</p>');
    expect(views[1]).toContain('2026-01-14');
    const last = showPayments(new URLSearchParams('page=400'), payments.rows(), new Date(NOW));
    expect(last.text).toContain('>I-0<');
    expect(Math.max(...views.map(({ length }) => length))).toBeLessThan(20_000);
  });
});

const ROW = {
  account: 'TEST88',
  operation: 'processCreditCard',
  batchId: '',
  position: 1,
  customerCode: '',
  amountCents: 500,
  lastFour: '2220',
  outcome: 'approved',
  message: 'OK: 678594:',
  charged: true,
} as const;
