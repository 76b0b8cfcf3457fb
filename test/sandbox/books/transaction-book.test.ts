import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../../src/sandbox/books/book-entry.ts';
import { keepTransactions } from '../../../src/sandbox/books/transaction-book.ts';

describe('keepTransactions', () => {
  it('finds a transaction for its own account only', () => {
    const book = keepTransactions();
    book.keep(transactionOf('A6000001'));
    expect(book.find('TEST88', 'A6000001')?.row.amountCents).toBe(500);
    expect(book.find('OTHER', 'A6000001')).toBeUndefined();
    expect(book.find('TEST88', 'A6000002')).toBeUndefined();
  });

  it('gives ids in capital hexadecimal digits behind the last, also after a row without one', () => {
    const book = keepTransactions();
    expect(book.nextId()).toBe('A6000001');
    book.keep(transactionOf('A60000AF'));
    book.keep(transactionOf(undefined));
    expect(book.nextId()).toBe('A60000B0');
    expect(book.nextId(2)).toBe('A60000B2');
    expect(book.nextId()).toBe('A60000B0');
  });

  it('adds up what was paid back, and not what was refused', () => {
    const book = keepTransactions();
    book.keep(transactionOf('A6000001'));
    book.keep(refundOf('A6000002', -200, true));
    book.keep(refundOf('A6000003', -100, false));
    book.keep(refundOf('A6000004', -50, true));
    expect(book.refundedCents('A6000001')).toBe(250);
    expect(book.refundedCents('A6000002')).toBe(0);
  });
});

function transactionOf(transactionId: string | undefined): Transaction {
  return {
    method: 'card',
    row: {
      at: '2026-06-15T10:00:00.000Z',
      account: 'TEST88',
      operation: 'processCreditCard',
      batchId: '',
      position: 1,
      invoice: '1',
      customerCode: '',
      amountCents: 500,
      lastFour: '2220',
      outcome: 'approved',
      message: 'OK: 678594:',
      charged: true,
      ...(transactionId === undefined ? {} : { transactionId }),
    },
  };
}

function refundOf(transactionId: string, amountCents: number, charged: boolean): Transaction {
  const { row } = transactionOf(transactionId);
  return { method: 'card', refundOf: 'A6000001', row: { ...row, amountCents, charged } };
}
