import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateDoubt } from '../../../../src/csv/profile/read/date-doubt.ts';
import { exampleProfile } from '../support/example-files.ts';
import { judgeChanged } from '../support/read-example.ts';

const QUICKBOOKS = 'quickbooks-dues';

describe('dateDoubt', () => {
  const profile = exampleProfile(QUICKBOOKS, ['format: MM/DD/YYYY', 'format: DD/MM/YYYY']);

  /** Judges dates by months and days as the profile reads them. */
  function isDoubted(dates: readonly (readonly [month: number, day: number])[], today: string): boolean {
    const doubt = dateDoubt(profile, today);
    for (const [month, day] of dates) doubt.take(`${twoDigits(month)}/${twoDigits(day)}/2026`);
    return doubt.faults().length > 0;
  }

  const months = (to: number) => Array.from({ length: to }, (_, index) => index + 1);

  it.each(['2026-06-01', '2026-06-15', '2026-07-02'])(
    'does not doubt dues of the first of each month up to June on %s',
    (today) => {
      expect(
        isDoubted(
          months(6).map((month) => [month, 1]),
          today,
        ),
      ).toBe(false);
    },
  );

  it.each([
    ['some are months ahead', 12, 1, '2026-06-15'],
    ['the last is months ago', 6, 1, '2026-09-15'],
    ['the other order is of these months', 6, 5, '2026-06-15'],
  ])('doubts dues of the same day of each month if %s', (_why, to, day, today) => {
    expect(
      isDoubted(
        months(to).map((month) => [month, day]),
        today,
      ),
    ).toBe(true);
  });

  it('doubts every file of a few days that was written in the other order within three months', () => {
    const file = fc.record({
      month: fc.integer({ min: 1, max: 12 }),
      days: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 2 }),
      later: fc.integer({ min: 0, max: 92 }),
    });
    fc.assert(
      fc.property(file, ({ month, days, later }) => {
        fc.pre(Math.max(...days) - Math.min(...days) >= 4);
        const dropped = new Date(Date.UTC(2026, month - 1, Math.max(...days) + later)).toISOString().slice(0, 10);
        return isDoubted(
          days.map((day) => [day, month]),
          dropped,
        );
      }),
      { numRuns: 300 },
    );
  });
});

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

describe('the dates of a file', () => {
  const DATED = exampleProfile(QUICKBOOKS, ['format: MM/DD/YYYY', 'format: DD/MM/YYYY'], ['must: once', 'must: maybe']);
  const YYMM = exampleProfile(QUICKBOOKS, ['format: MM/YYYY', 'format: MMYY'], ['must: once', 'must: maybe']);

  it('are doubted if they lie close together with day and month exchanged', async () => {
    const rows = Array.from({ length: 12 }, (_, day) =>
      duesRow({ date: `06/${String(day + 1).padStart(2, '0')}/2026`, invoice: day }),
    );
    const judged = await judgeChanged(QUICKBOOKS, withRows(rows), DATED);
    expect(judged.verdict).toBe('H');
    expect(judged.codes).toContain('DATE_DOUBT');
    const [{ detail } = {}] = judged.faults.filter(({ code }) => code === 'DATE_DOUBT');
    expect(detail).toContain('from 2026-01-06 to 2026-12-06');
    expect(detail).toContain('exchanged, they go from 2026-06-01 to 2026-06-12');
  });

  it.each([
    ['spread over the year in both orders', ['01/02/2026', '05/06/2026', '11/12/2026']],
    ['one cannot be exchanged', ['06/01/2026', '06/12/2026', '15/06/2026']],
    ['all are the same day', ['06/06/2026', '06/06/2026']],
  ])('are not doubted if %s', async (_, dates) => {
    const rows = dates.map((date, invoice) => duesRow({ date, invoice }));
    expect((await judgeChanged(QUICKBOOKS, withRows(rows), DATED)).codes).not.toContain('DATE_DOUBT');
  });

  it('are doubted if many are far away, and near with day and month exchanged', async () => {
    const dates = ['06/06/2026', '07/07/2026', '08/08/2026', '01/12/2027', '02/12/2027'];
    const judged = await judgeChanged(
      QUICKBOOKS,
      withRows(dates.map((date, invoice) => duesRow({ date, invoice }))),
      DATED,
    );
    expect(judged.codes.filter((code) => code === 'DATE_OUTSIDE')).toHaveLength(2);
    const [{ detail } = {}] = judged.faults.filter(({ code }) => code === 'DATE_DOUBT');
    expect(detail).toMatch(/2 of 5 too far away; exchanged, .* 0 of 5 too far away$/);
  });

  it('are not doubted if many are far away either way', async () => {
    const rows = ['06/06/2026', '13/12/2027'].map((date, invoice) => duesRow({ date, invoice }));
    const { codes } = await judgeChanged(QUICKBOOKS, withRows(rows), DATED);
    expect(codes).toContain('DATE_OUTSIDE');
    expect(codes).not.toContain('DATE_DOUBT');
  });

  it('hold the file one by one if they are too far away, and can be approved', async () => {
    const rows = [duesRow({ date: '15/06/2026', invoice: 1 }), duesRow({ date: '16/06/2024', invoice: 2 })];
    const judged = await judgeChanged(QUICKBOOKS, withRows(rows), DATED);
    expect(judged.faults).toContainEqual(
      expect.objectContaining({ code: 'DATE_OUTSIDE', line: 7, column: 'date', detail: '"Date": 729 days ago' }),
    );
    expect(judged.sent).toEqual(['1 25.00', '2 25.00']);
  });

  it.each([
    ['cannot be a month', '2711', 'FORMAT_DIFFERS'],
    ['is past either way', '1112', 'EXPIRY_DOUBT'],
  ] as const)('are doubted if the expiry has month and year exchanged and %s', async (_, expiry, code) => {
    const rows = Array.from({ length: 50 }, (_, invoice) => duesRow({ invoice, expiry }));
    const judged = await judgeChanged(QUICKBOOKS, withRows(rows), YYMM);
    expect(judged.codes).toContain(code);
    expect(judged.codes).toContain('EXPIRY_DOUBT');
    expect(judged.verdict).toBe('H');
    expect(judged.sent).toEqual([]);
  });

  it('are not doubted if many cards have only expired', async () => {
    const rows = Array.from({ length: 50 }, (_, invoice) =>
      duesRow({ invoice, expiry: invoice % 2 ? '0426' : '1228' }),
    );
    expect((await judgeChanged(QUICKBOOKS, withRows(rows), YYMM)).codes).not.toContain('EXPIRY_DOUBT');
  });
});

type Dues = { date?: string; invoice: number; expiry?: string };

function duesRow({ date = '15/06/2026', invoice, expiry = '12/2035' }: Dues): string {
  return `${date},Invoice,${invoice},"Byron, Ada",1 Mill Lane,Troy,NY,12180,Visa,4222222222222220,${expiry},,25.00,25.00\n`;
}

/** Puts other rows in place of those of the example. */
function withRows(rows: readonly string[]): (text: string) => string {
  return (text) => text.replace(/^(Date,.*\n)[^]*/m, (_, titles: string) => titles + rows.join(''));
}
