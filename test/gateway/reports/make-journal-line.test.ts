import { describe, expect, it } from 'vitest';
import { type LineTexts, makeJournalLine, readJournalTime } from '../../../src/gateway/reports/make-journal-line.ts';

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
