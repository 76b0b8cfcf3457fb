import { describe, expect, it } from 'vitest';
import type { BookRow } from '../../../src/sandbox/books/book-row.ts';
import { journalOf } from '../../../src/sandbox/books/journal.ts';
import type { Payment } from '../../../src/sandbox/books/payment-book.ts';

// A Monday. Its bank file leaves at 10:00, is answered on Wednesday and returned on the next Monday.
const TAKEN_AT = '2026-06-15T09:00:00.000Z';
const PAYER = {
  firstName: 'Ada',
  lastName: 'Byron',
  payment: 'VISA',
  shownNumber: '4***********2220',
  expiry: '12/30',
  comment: 'Gift',
};

describe('journalOf', () => {
  it('shows a payment with its payer as one line', () => {
    expect(journal([card()])).toEqual([
      {
        at: TAKEN_AT,
        account: 'TEST88',
        method: 'card',
        list: 'approved',
        transactionId: 'A6000001',
        invoice: 'INV-1',
        customerCode: 'C1',
        ...PAYER,
        amountCents: 500,
        result: 'OK:678594:',
      },
    ]);
  });

  it.each([
    ['an approved card', card({ message: 'OK: 678594:' }), 'approved', 'OK:678594:'],
    ['a card whose address was checked', card({ message: 'OK: 678594:X' }), 'approved', 'OK:678594:X'],
    ['a declined card', card({ message: 'REJECT: 15', charged: false }), 'rejected', 'REJ:15'],
    ['a refused account', bank({ message: 'REJECT: 40', charged: false }), 'rejected', 'REJ:40'],
    ['an account that was taken', bank({ message: 'OK: 555555:' }), 'approved', 'OK:555555:'],
    ['a row that was received', bank({ message: 'Received' }), 'approved', 'OK:555555:'],
  ])('says of %s where it is from the first moment on', (_, payment, list, result) => {
    expect(journal([payment])).toMatchObject([{ at: TAKEN_AT, list, result }]);
  });

  it.each([
    [100, '2026-06-17T09:59:59.999Z', 'approved', 'OK:555555:', TAKEN_AT],
    [100, '2026-06-17T10:00:00.000Z', 'approved', 'OK:BankAccept', '2026-06-17T10:00:00.000Z'],
    [100, '2027-01-01T00:00:00.000Z', 'approved', 'OK:BankAccept', '2026-06-17T10:00:00.000Z'],
    [300, '2026-06-22T09:59:59.999Z', 'approved', 'OK:BankAccept', '2026-06-17T10:00:00.000Z'],
    [300, '2026-06-22T10:00:00.000Z', 'returned', 'REJ:63', '2026-06-22T10:00:00.000Z'],
    [2500, '2026-06-17T09:59:59.999Z', 'approved', 'OK:555555:', TAKEN_AT],
    [2500, '2026-06-17T10:00:00.000Z', 'rejected', 'OK:Reject', '2026-06-17T10:00:00.000Z'],
    [-2500, '2026-06-17T10:00:00.000Z', 'rejected', 'OK:Reject', '2026-06-17T10:00:00.000Z'],
  ])('has %d cents of an account at %s in the list "%s" as %s', (amountCents, now, list, result, at) => {
    expect(journal([bank({ amountCents })], now)).toMatchObject([{ at, list, result }]);
  });

  it('leaves a card and a refused account where they are, whatever the time', () => {
    const payments = [card(), bank({ message: 'REJECT: 40', charged: false })];
    expect(journal(payments, '2030-01-01T00:00:00.000Z')).toEqual(journal(payments));
  });

  it('follows the clock back', () => {
    const payments = [bank({ amountCents: 2500 })];
    const early = journal(payments);
    expect(journal(payments, '2026-07-01T00:00:00.000Z')).not.toEqual(early);
    expect(journal(payments)).toEqual(early);
  });

  it('is ordered by when each came into its list', () => {
    const payments = [
      bank({ invoice: 'moved', amountCents: 2500 }),
      card({ invoice: 'later', at: '2026-06-16T00:00:00.000Z' }),
      card({ invoice: 'first', at: '2026-06-14T00:00:00.000Z' }),
    ];
    expect(journal(payments).map(({ invoice }) => invoice)).toEqual(['first', 'moved', 'later']);
    const settled = journal(payments, '2026-06-20T00:00:00.000Z');
    expect(settled.map(({ invoice }) => invoice)).toEqual(['first', 'later', 'moved']);
  });

  it('asks for the payments of its account only', () => {
    const asked: string[] = [];
    const list = (account: string) => {
      asked.push(account);
      return [];
    };
    expect(journalOf({ payments: { list } }, 'OTHER', new Date(TAKEN_AT))).toEqual([]);
    expect(asked).toEqual(['OTHER']);
  });
});

function journal(payments: readonly Payment[], now = TAKEN_AT) {
  return journalOf({ payments: { list: () => payments } }, 'TEST88', new Date(now));
}

function card(change: Partial<BookRow> = {}): Payment {
  const row: BookRow = {
    at: TAKEN_AT,
    account: 'TEST88',
    operation: 'processCreditCard',
    batchId: '',
    position: 1,
    invoice: 'INV-1',
    customerCode: 'C1',
    amountCents: 500,
    lastFour: '2220',
    outcome: 'approved',
    message: 'OK: 678594:',
    charged: true,
    ...change,
  };
  return { row, method: 'card', transactionId: 'A6000001', payer: PAYER };
}

function bank(change: Partial<BookRow>): Payment {
  return { ...card({ operation: 'processACHEFT', message: 'OK: 555555:', ...change }), method: 'bank' };
}
