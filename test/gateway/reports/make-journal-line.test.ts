import { describe, expect, it } from 'vitest';
import {
  judgeResult,
  type LineTexts,
  makeJournalLine,
  readJournalTime,
} from '../../../src/gateway/reports/make-journal-line.ts';
import { hideWholeNumbers } from '../../../src/gateway/reports/hide-whole-numbers.ts';

const TEXTS: LineTexts = {
  transactionId: 'A9000001',
  invoice: 'INV-1',
  at: '06/15/2017 10:11:12',
  customerCode: 'A10000001',
  paymentMethod: 'VISA',
  amount: '5.00',
  result: 'OK:678594:',
  number: '4***********2220',
  comment: 'Gift',
};
const CARDS = { row: { method: 'card', list: 'approved' }, server: 'NA' } as const;

describe('makeJournalLine', () => {
  it('types every text', () => {
    expect(makeJournalLine(TEXTS, CARDS)).toEqual({
      transactionId: 'A9000001',
      invoice: 'INV-1',
      at: { text: '06/15/2017 10:11:12', utc: '2017-06-15T17:11:12.000Z' },
      customerCode: 'A10000001',
      paymentMethod: 'VISA',
      amountCents: 500,
      result: 'OK:678594:',
      outcome: 'approved',
      lastFour: '2220',
      comment: 'Gift',
    });
  });

  it.each<[Partial<LineTexts>, object]>([
    [{ customerCode: 'Quick Client' }, { customerCode: '' }],
    [{ customerCode: 'QUICK CLIENT' }, { customerCode: '' }],
    [{ amount: '-0.05' }, { amountCents: -5 }],
    [{ amount: '$5.00' }, { amountCents: null }],
    [{ amount: '' }, { amountCents: null }],
    [{ number: '5***5454' }, { lastFour: '5454' }],
    [{ number: '******' }, { lastFour: '' }],
    [{ number: '' }, { lastFour: '' }],
    // Numbers that the service should have masked.
    [{ number: '4222222222222220' }, { lastFour: '2220' }],
    [{ number: '12345' }, { lastFour: '45' }],
    [{ comment: 'my card 4222222222222220' }, { comment: 'my card ************2220' }],
    [{ invoice: '4222222222222220' }, { invoice: '************2220' }],
  ])('of %j makes %j', (texts, line) => {
    expect(makeJournalLine({ ...TEXTS, ...texts }, CARDS)).toMatchObject(line);
  });

  it('judges by the report that it is of', () => {
    const banks = { row: { method: 'bank', list: 'approved' }, server: 'NA' } as const;
    expect(makeJournalLine({ ...TEXTS, result: 'OK:555555:' }, banks).outcome).toBe('accepted');
  });
});

describe('readJournalTime', () => {
  it.each([
    ['NA', '06/15/2017 10:11:12', '2017-06-15T17:11:12.000Z'],
    ['NA', '6/5/2017 9:11:12', '2017-06-05T16:11:12.000Z'],
    ['UK', '15/06/2017 10:11:12', '2017-06-15T09:11:12.000Z'],
    ['UK', '05/06/2017 10:11:12', '2017-06-05T09:11:12.000Z'],
    ['NA', '2017-01-15T10:11:12', '2017-01-15T18:11:12.000Z'],
    ['UK', '2017-06-15T10:11:12.5', '2017-06-15T09:11:12.000Z'],
    ['UK', '2017-06-15T10:11:12-07:00', '2017-06-15T17:11:12.000Z'],
    ['NA', '2017-06-15T10:11:12Z', '2017-06-15T10:11:12.000Z'],
    // Day and month in the other server's order.
    ['NA', '15/06/2017 10:11:12', null],
    // The clocks show it twice, or never.
    ['NA', '11/05/2017 01:30:00', null],
    ['NA', '03/12/2017 02:30:00', null],
    ['NA', '2017-13-15T10:11:12Z', null],
    ['NA', '06/15/2017', null],
    ['NA', '', null],
  ] as const)('on %s, %j is %j', (server, text, utc) => {
    expect(readJournalTime(text, server)).toEqual({ text, utc });
  });
});

describe('judgeResult', () => {
  it.each([
    ['card', 'approved', 'OK:678594:', 'approved'],
    ['card', 'approved', 'OK: 678594:X', 'approved'],
    ['card', 'approved', ' OK ', 'approved'],
    ['card', 'approved', 'OK:nonsense', 'unknown'],
    ['card', 'approved', '', 'unknown'],
    // List and text contradict each other.
    ['card', 'approved', 'REJ:15', 'unknown'],
    ['card', 'rejected', 'OK:678594:', 'unknown'],
    ['card', 'rejected', 'REJ:15', 'rejected'],
    ['card', 'rejected', 'REJECT: 40', 'rejected'],
    // These codes do not say whether money moved.
    ['card', 'rejected', 'REJ:70', 'unknown'],
    ['card', 'rejected', 'REJ:999', 'unknown'],
    ['card', 'rejected', 'REJ:', 'unknown'],
    ['card', 'rejected', 'REJ:TIMEOUT', 'unknown'],
    ['card', 'rejected', 'TIMEOUT:Timeout', 'unknown'],
    ['bank', 'approved', 'OK:555555:', 'accepted'],
    ['bank', 'approved', 'OK:555555', 'accepted'],
    ['bank', 'approved', 'OK:BankAccept', 'approved'],
    ['bank', 'approved', 'OK:Reject', 'rejected'],
    ['bank', 'rejected', 'OK:Reject', 'rejected'],
    ['bank', 'rejected', 'OK:BankAccept', 'unknown'],
    ['bank', 'rejected', 'REJ:40', 'rejected'],
    // Banks have their own codes.
    ['bank', 'rejected', 'REJ:72', 'rejected'],
    // The processor resends it by itself.
    ['bank', 'rejected', 'REJ:TIMEOUT', 'unknown'],
    ['bank', 'returned', 'REJ:63', 'returned'],
    ['bank', 'returned', 'OK:Reject', 'returned'],
    ['bank', 'returned', 'REJ:TIMEOUT', 'unknown'],
  ] as const)('%s, %s: %j is %s', (method, list, result, outcome) => {
    expect(judgeResult(result, { method, list })).toBe(outcome);
  });
});

describe('hideWholeNumbers', () => {
  it.each([
    ['card 4222222222222220.', 'card ************2220.'],
    ['4222 2222 2222 2220', '**** **** **** 2220'],
    ['4222-2222-2222-2220', '****-****-****-2220'],
    ['02100002100000000000000001', '**********************0001'],
    ['9'.repeat(200), '[removed]'],
  ])('masks %j', (text, shown) => {
    expect(hideWholeNumbers(text)).toBe(shown);
  });

  it.each([
    // Timestamps and sequence numbers that identify payments.
    '1781474400000',
    '20260615101112001',
    'INV-20260615-000123-45678',
    'd41d8cd98f00b204e9800998ecf8427e',
    "'4***********2220",
    '06/15/2017 10:11:12',
    '',
  ])('leaves %j', (text) => {
    expect(hideWholeNumbers(text)).toBe(text);
  });

  it('bears a huge text of digits', () => {
    expect(hideWholeNumbers('1 '.repeat(200_000))).toHaveLength(400_000);
    expect(hideWholeNumbers('1'.repeat(1_000_000))).toBe('[removed]');
  });
});
