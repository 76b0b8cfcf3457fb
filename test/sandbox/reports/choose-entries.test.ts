import { describe, expect, it } from 'vitest';
import type { BookRow, JournalEntry } from '../../../src/sandbox/books/book-row.ts';
import { chooseEntries, faceOf } from '../../../src/sandbox/reports/choose-entries.ts';
import { bankEntry, journalEntry, makeCall } from '../support/make-context.ts';
import { journalOf } from '../../../src/sandbox/reports/report-handlers.ts';
import type { Payment } from '../../../src/sandbox/books/payment-book.ts';

const NOW = new Date('2017-06-15T20:00:00Z');
const DAY = { method: 'card', list: 'approved', period: 'day' } as const;
const RANGE = { ...DAY, period: 'range' } as const;

/** Invoices are numbered in journal order. Midnight is 7:00 UTC in Vancouver and 23:00 UTC in London. */
const JOURNAL: readonly JournalEntry[] = [
  '2017-06-14T22:59:59Z',
  '2017-06-14T23:00:00Z',
  '2017-06-15T06:59:59.999Z',
  '2017-06-15T07:00:00Z',
  '2017-06-15T19:00:00Z',
].map((at, index) => journalEntry({ at, invoice: String(index) }));

describe('chooseEntries', () => {
  it.each([
    ['NA', '2017-06-15T12:00:00-07:00', '34'],
    ['NA', '2017-06-15T07:00:00Z', '34'],
    ['NA', '2017-06-15T06:59:59Z', '012'],
    // A midnight begins the day as written, because known clients ask for today by their own clocks.
    ['NA', '2017-06-15T00:00:00+00:00', '234'],
    ['NA', '2017-06-15T00:00:00.000Z', '234'],
    ['NA', '2017-06-15T00:00:00-07:00', '34'],
    // Its last second ends it, likewise.
    ['NA', '2017-06-15T23:59:59+00:00', '234'],
    ['NA', '2017-06-14T23:59:59.999Z', '01'],
    ['NA', '2017-06-15T23:59:59-07:00', '34'],
    ['NA', '2017-06-14T23:59:59-07:00', '012'],
    ['NA', '2017-06-15T23:59:59', '34'],
    ['UK', '2017-06-15T00:00:00+00:00', '234'],
    ['UK', '2017-06-15T00:00:00+01:00', '1234'],
    ['UK', '2017-06-14T12:00:00Z', '0'],
    // Without an offset it is server time.
    ['NA', '2017-06-15T00:00:00', '34'],
    ['NA', '2017-06-15', '34'],
    ['UK', '2017-06-15', '1234'],
    ['NA', '2017-06-13T12:00:00Z', ''],
  ] as const)('on %s, the day of %s has the lines %j', (server, date, lines) => {
    expect(invoicesOf(DAY, { date }, server)).toBe(lines);
  });

  it.each([
    ['2017-06-14T23:00:00Z', '2017-06-15T07:00:00Z', {}, '123'],
    ['2017-06-14T23:00:01Z', '2017-06-15T06:59:58Z', {}, ''],
    // Lines show whole seconds, so a range includes all of its last second.
    ['2017-06-14T23:00:01Z', '2017-06-15T06:59:59Z', {}, '2'],
    ['2017-06-15T00:00:00-07:00', '2017-06-15T23:59:59-07:00', {}, '34'],
    ['2017-06-15T00:00:00', '2017-06-15T23:59:59', {}, '34'],
    ['2017-06-14T00:00:00Z', '2017-06-16T00:00:00Z', { startIndex: '1', endIndex: '2' }, '12'],
    ['2017-06-14T00:00:00Z', '2017-06-16T00:00:00Z', { startIndex: '3' }, '34'],
    ['2017-06-14T00:00:00Z', '2017-06-16T00:00:00Z', { endIndex: '0' }, '0'],
    ['2017-06-14T00:00:00Z', '2017-06-16T00:00:00Z', { startIndex: '', endIndex: '' }, '01234'],
    ['2017-06-14T00:00:00Z', '2017-06-16T00:00:00Z', { startIndex: '0', endIndex: '199' }, '01234'],
    ['2017-06-14T00:00:00Z', '2017-06-16T00:00:00Z', { startIndex: 'x', endIndex: '-1' }, '01234'],
    ['2017-06-14T00:00:00Z', '2017-06-16T00:00:00Z', { startIndex: '9' }, ''],
  ])('from %s to %s with %j it has the lines %j', (fromDate, toDate, indexes, lines) => {
    expect(invoicesOf(RANGE, { fromDate, toDate, ...indexes }, 'NA')).toBe(lines);
  });

  it('takes a date that is left out as .NET does', () => {
    expect(invoicesOf(DAY, {}, 'NA')).toBe('');
    expect(invoicesOf(RANGE, { toDate: '2017-06-16T00:00:00Z' }, 'NA')).toBe('01234');
    expect(invoicesOf(RANGE, { fromDate: '2017-06-14T00:00:00Z' }, 'NA')).toBe('');
  });

  it('takes only payments of its kind and its list', () => {
    const journal = [
      bankEntry({ invoice: 'bank' }),
      bankEntry({ invoice: 'returned', list: 'returned' }),
      journalEntry({ invoice: 'rejected', list: 'rejected' }),
    ];
    const date = '2017-06-15T12:00:00Z';
    expect(invoicesOf(DAY, { date }, 'NA', journal)).toBe('');
    expect(invoicesOf({ ...DAY, list: 'rejected' }, { date }, 'NA', journal)).toBe('rejected');
    expect(invoicesOf({ ...DAY, method: 'bank' }, { date }, 'NA', journal)).toBe('bank');
    expect(invoicesOf({ ...DAY, method: 'bank', list: 'returned' }, { date }, 'NA', journal)).toBe('returned');
  });

  it.each([
    [DAY, { date: '2017-06-15T12:00:00Z' }, false],
    [DAY, { date: '2017-06-15T00:00:00Z' }, false],
    [DAY, { date: '2017-06-16T06:59:59Z' }, false],
    [DAY, { date: '2017-06-16T07:00:00Z' }, true],
    [DAY, { date: '2050-01-01T12:00:00Z' }, true],
    [DAY, {}, false],
    [RANGE, { fromDate: '2017-06-15T20:00:00Z', toDate: '2050-01-01T12:00:00Z' }, false],
    [RANGE, { fromDate: '2017-06-15T20:00:01Z', toDate: '2050-01-01T12:00:00Z' }, true],
  ] as const)('knows whether all of it is still to come: %j %j', (row, fields, isFuture) => {
    expect(choose(row, fields, 'NA', []).isFuture).toBe(isFuture);
  });
});

type Row = Parameters<typeof chooseEntries>[0];

function choose(row: Row, fields: Record<string, string>, server: 'NA' | 'UK', journal: readonly JournalEntry[]) {
  const operation = row.period === 'day' ? 'getCreditCardApprovedSpecificDateCSV' : 'getCreditCardApprovedDateRangeCSV';
  const { parameters } = makeCall(operation, fields);
  return chooseEntries(row, journal, { parameters, face: faceOf({ server }), now: NOW });
}

function invoicesOf(row: Row, fields: Record<string, string>, server: 'NA' | 'UK', journal = JOURNAL): string {
  return choose(row, fields, server, journal)
    .entries.map(({ invoice }) => invoice)
    .join('');
}

const LATE = new Date('2017-06-15T23:30:00.999Z');

describe('faceOf', () => {
  it.each([
    [{ server: 'NA' }, '06/15/2017 16:30:00', '2017-06-15T16:30:00', '2017-06-15', false],
    [{ server: 'UK' }, '16/06/2017 00:30:00', '2017-06-16T00:30:00', '2017-06-16', true],
    [{}, '06/15/2017 16:30:00', '2017-06-15T16:30:00', '2017-06-15', false],
  ] as const)('of %j writes as that server does', (account, csv, xml, day, hasBankReference) => {
    const face = faceOf(account);
    expect(face.writeTime(LATE)).toBe(csv);
    expect(face.writeXmlTime(LATE)).toBe(xml);
    expect(face.dayOf(LATE)).toBe(day);
    expect(face.hasBankReference).toBe(hasBankReference);
  });
});

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
