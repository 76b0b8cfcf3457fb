import { describe, expect, it } from 'vitest';
import { markOfDay, scanDate } from '../../../src/csv/scan/scan-number.ts';
import { isDay } from '../../../src/csv/rules/rule-of-column.ts';
import type { RowScan } from '../../../src/csv/scan/row-scan.ts';
import { scanCellOf } from './support.ts';

const today = markOfDay(2026, 6, 15);
const scan = (scan: RowScan, at: number) => scanDate(scan, at, { today });

describe('scanDate', () => {
  it.each([
    ['06/15/2026', '06/15/2026'],
    ['6/5/2026', '06/05/2026'],
    ['06/21/2025', '06/21/2025'],
    ['5/01/2027', '05/01/2027'],
  ])('reads %s', (text, sent) => {
    expect(scanCellOf(`${text},x`, scan)).toMatchObject({ sent, rest: ',x' });
  });

  it.each(['02/29/2027', '13/01/2026', '04/31/2026', '0/1/2026', '1/0/2026', '1/1/1899', '1/1/2100', '06/15/26'])(
    'declines %s',
    (text) => {
      expect(scanCellOf(`${text},`, scan)).toBeUndefined();
    },
  );

  it.each(['', '06-15-2026', '/15/2026', '06//2026', '2026/06/15', 'x6/15/2026'])('declines %j', (text) => {
    expect(scanCellOf(`${text},`, scan)).toBeUndefined();
  });
});

describe('the mark of a day', () => {
  it('never lies closer to another one than the days themselves do', () => {
    const days: number[] = [];
    for (let year = 2023; year < 2029; year += 1)
      for (let month = 1; month <= 12; month += 1)
        for (let day = 1; day <= 31; day += 1) if (isDay(year, month, day)) days.push(markOfDay(year, month, day));
    expect(days).toHaveLength(6 * 365 + 2);
    expect(days.every((mark, index) => index === 0 || mark > days[index - 1]!)).toBe(true);
  });

  it('declines what may have to be noted, and hardly more', () => {
    expect(scanCellOf('06/16/2027,', scan)).toBeUndefined();
    expect(scanCellOf('06/14/2025,', scan)).toBeUndefined();
  });
});
