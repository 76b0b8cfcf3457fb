import { describe, expect, it } from 'vitest';
import { newBookSecret } from '../../../src/sandbox/books/book-secret.ts';
import { openPayers, type Payer, payerOfRecord, sealPayers } from '../../../src/sandbox/books/payer.ts';
import { newCustomer } from '../../../src/sandbox/customers/new-customer.ts';

const PAYER: Payer = {
  firstName: 'Ada',
  lastName: 'Byron',
  payment: 'VISA',
  shownNumber: '4***********2220',
  expiry: '12/30',
  comment: 'a present',
};

describe('sealPayers', () => {
  it('hides everything, and gives it back to the same owner only', () => {
    const secret = newBookSecret();
    const sealed = sealPayers(secret, [PAYER, null], 'batch 1');
    const bytes = Buffer.from(sealed, 'base64').toString('latin1');
    for (const text of ['Byron', '*******', 'a present']) {
      expect(sealed).not.toContain(text);
      expect(bytes).not.toContain(text);
    }
    expect(openPayers(secret, sealed, 'batch 1')).toEqual([PAYER, null]);
    expect(() => openPayers(secret, sealed, 'batch 2')).toThrow(expect.objectContaining({ code: 'SEAL_BROKEN' }));
  });

  it('masks a card number that came in a wrong place', () => {
    const secret = newBookSecret();
    const number = '4222222222222220';
    const strayed = { firstName: number, lastName: number, payment: number, shownNumber: number, expiry: number };
    const [opened] = openPayers(secret, sealPayers(secret, [{ ...strayed, comment: `my ${number}` }], 'x'), 'x');
    expect(opened?.firstName).toMatch(/2220$/);
    expect(JSON.stringify(opened)).not.toContain(number);
  });
});

describe('payerOfRecord', () => {
  it('shows the number masked', () => {
    const record = newCustomer({
      code: 'A1',
      kind: 'card',
      createdAt: '2026-06-15T10:00:00.000Z',
      holder: 'Somebody Else',
      number: '4222222222222220',
      method: 'VISA',
      expiry: '12/30',
      textOf: (field) => ({ firstName: 'Ada', lastName: 'Byron', comment: 'a present' })[field as string],
    });
    expect(payerOfRecord(record)).toEqual(PAYER);
  });
});
