import { beforeAll, describe, expect, it } from 'vitest';
import { CARD, cardRow, lines, upTo } from '../support/payment-rows.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { mustNotHoldNumber, parseSearch, type SearchContext, searchLedger } from '../../src/explain/search.ts';
import { startOfDay } from '../../src/calendar/zone-time.ts';
import fc from 'fast-check';
import { openPipelineWorld } from '../support/pipeline-world.ts';

describe('parseSearch', () => {
  const accounts = new Map([
    ['main', { currency: 'USD' }],
    ['North', { currency: 'CAD' }],
    ['south', { currency: 'CAD' }],
  ]) as unknown as SearchContext['accounts'];
  // A Friday, already Saturday in UTC.
  const context = { accounts, now: new Date('2026-11-28T03:00:00.000Z'), timeZone: 'America/New_York' };
  const days = (first: string, end: string) => ({
    from: startOfDay(first, context.timeZone),
    until: startOfDay(end, context.timeZone),
  });
  const cents = (from: number, to = from) => ({ cents: { from, to } });

  it.each<[string, object]>([
    ['inv-47', { text: 'inv-47' }],
    ['4711', { text: '4711' }],
    ['1000334', { text: '1000334' }],
    ['june.csv/2', { text: 'june.csv/2' }],
    ['87.50', { text: '', ...cents(8_750) }],
    ['87,50', { text: '', ...cents(8_750) }],
    ['=87.5', { text: '', ...cents(8_750) }],
    ['$1,234.50', { text: '', ...cents(123_450) }],
    ['amount:1,234', { text: '', ...cents(123_400) }],
    ['-10.00', { text: '', ...cents(-1_000) }],
    ['>500', { text: '', ...cents(50_000, Number.MAX_SAFE_INTEGER) }],
    ['<=20.01', { text: '', ...cents(0, 2_001) }],
    ['10..20', { text: '', ...cents(1_000, 2_000) }],
    ['INV 47 87.50', { text: 'INV 47', ...cents(8_750) }],
    ['87.50 usd', { text: '', ...cents(8_750), accounts: ['main'] }],
    ['CAD north', { text: '', accounts: ['North'], hasAccount: true }],
    ['account:nowhere', { text: '', accounts: [], hasAccount: true }],
    ['••4242 main', { text: '', lastFour: '4242', accounts: ['main'], hasAccount: true }],
    ['last:42', { text: '', lastFour: '42' }],
    ['cust:C-19', { text: '', customer: 'C-19' }],
    ['code:15', { text: '', code: 15 }],
    ['Declined', { text: '', outcome: 'declined' }],
    ['in doubt', { text: '', outcome: 'unknown' }],
    ['UNKNOWN', { text: '', outcome: 'unknown' }],
    ['duplicate reported', { text: '', outcome: 'duplicate' }],
    ['NOT_CHARGED today', { text: '', outcome: 'not_charged', ...days('2026-11-27', '2026-11-28') }],
    ['later', { text: '', advice: 'later' }],
    ['payer must act', { text: '', advice: 'cardholder' }],
    ['today', { text: '', ...days('2026-11-27', '2026-11-28') }],
    ['yesterday', { text: '', ...days('2026-11-26', '2026-11-27') }],
    ['this week', { text: '', ...days('2026-11-23', '2026-11-30') }],
    ['last week', { text: '', ...days('2026-11-16', '2026-11-23') }],
    ['this month', { text: '', ...days('2026-11-01', '2026-12-01') }],
    ['last month', { text: '', ...days('2026-10-01', '2026-11-01') }],
    ['last 7 days', { text: '', ...days('2026-11-21', '2026-11-28') }],
    ['nov', { text: '', ...days('2026-11-01', '2026-12-01') }],
    ['December', { text: '', ...days('2025-12-01', '2026-01-01') }],
    ['feb 2024', { text: '', ...days('2024-02-01', '2024-03-01') }],
    ['2026-02', { text: '', ...days('2026-02-01', '2026-03-01') }],
    ['2026-11-22', { text: '', ...days('2026-11-22', '2026-11-23') }],
    ['2026-11-20..2026-11-22', { text: '', ...days('2026-11-20', '2026-11-23') }],
    ['2026-11-22..2026-11-20', { text: '2026-11-22..2026-11-20' }],
    ['2026-02-31', { text: '2026-02-31' }],
    ['"May dues" may', { text: 'May dues', ...days('2026-05-01', '2026-06-01') }],
    ['invoice:87.50', { text: '87.50', only: 'payments' }],
    ['file:main', { text: 'main', only: 'files' }],
    ['mayor', { text: 'mayor' }],
  ])('reads "%s"', (words, expected) => {
    expect(parseSearch(words, context)).toEqual(expected);
  });

  it.each([
    CARD,
    '4222 2222 2222 2220',
    '4222-2222-2222-2220',
    `card ${CARD} of June`,
    '900000000001',
    '4222/2222/2222/2220 87.50',
    '٤٢٢٢٢٢٢٢٢٢٢٢٢٢٢٠',
    '"123456789012"',
    `20261122 ${CARD}`,
    '20261122-422222222222',
  ])('refuses the long number "%s" and repeats nothing of it', (words) => {
    expect(() => parseSearch(words, context)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(() => parseSearch(words, context)).not.toThrow(words);
  });

  it.each(['payments_20261124_153000.csv', 'INV-2026-11-22-0001', '4242 2026-11-22 87.50', '20260615001'])(
    'takes "%s" for no long number',
    (words) => {
      expect(() => mustNotHoldNumber(words)).not.toThrow();
    },
  );

  it('refuses every number of 12 digits or more, however it is grouped', () => {
    const gap = fc.constantFrom('', ' ', '-', '.', ' - ', '/');
    const number = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), gap), { minLength: 12, maxLength: 26 });
    fc.assert(
      fc.property(number, (parts) => {
        // Without a day in it, which may be part of an invoice.
        const words = parts.map(([digit, after]) => `${digit}${after}`).join('');
        fc.pre(!/20\d\d-?[01]\d-?[0-3]\d/.test(words));
        expect(() => mustNotHoldNumber(words)).toThrow();
      }),
      { numRuns: 300 },
    );
  });

  it('understands or takes for text whatever is typed', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.replaceAll(/\p{Nd}/gu, '7')),
        (words) => {
          fc.pre(!/7(?:[^\p{L}\p{N}]*7){11}/u.test(words));
          expect(typeof parseSearch(words, context).text).toBe('string');
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('searchLedger', () => {
  const pipeline = openedForTests(() => openPipelineWorld());
  const find = (words: string) => searchLedger(pipeline.app.ledger, pipeline.app.settings, words, 'UTC');
  const found = async (words: string) => (await find(words)).payments.map(({ name, line }) => `${name} ${line}`);
  beforeAll(async () => {
    await pipeline.drop('card', 'May dues.csv', lines(upTo(3).map((n) => cardRow(n, { amount: `${n}5.00` }))));
    await pipeline.drop('card', 'june.csv', lines([cardRow(4, { invoice: 'Ab-77' })]));
    await pipeline.finish();
  });

  it('says what became of a payment, what it means, and where its page is', async () => {
    const { payments } = await find('c-1');
    expect(payments).toEqual([
      expect.objectContaining({
        invoice: 'C-1',
        path: `/payments/${payments[0]!.fileId}/1`,
        word: 'Approved',
        means: 'charged or refunded',
        advice: null,
      }),
    ]);
  });

  it('asks for a second fact beside the last digits, and then finds the card', async () => {
    for (const words of ['last:2220', '••2220'])
      expect(await find(words)).toMatchObject({ payments: [], notes: [expect.stringContaining('add the amount')] });
    expect(await find('2220')).toMatchObject({ payments: [], notes: [expect.stringContaining('add the amount')] });
    expect(await found('2220 25.00')).toEqual(['june.csv 1', 'May dues.csv 2']);
    expect(await found('last:2220 main')).toHaveLength(4);
    expect(await found('last:2220 today')).toHaveLength(4);
    expect(await found('last:2220 2020-01-01..2026-12-31')).toEqual([]);
    expect(await found('1111 25.00')).toEqual([]);
  });

  it('finds by the end of an invoice when none begins so, and says it', async () => {
    expect(await find('b-77')).toMatchObject({
      payments: [{ invoice: 'Ab-77' }],
      notes: ['No invoice begins with “b-77”; these end with it.'],
    });
  });

  it('finds a file whose name has words that could be facts', async () => {
    expect((await find('May dues')).files.map(({ name }) => name)).toEqual(['May dues.csv']);
    expect((await find('file:dues')).files).toHaveLength(1);
  });

  it('finds a batch by its file and number, and none where there is none', async () => {
    expect((await find('june.csv/1')).batches).toMatchObject([{ batchNo: 1, name: 'june.csv' }]);
    expect((await find('june.csv/2')).batches).toEqual([]);
  });
});
