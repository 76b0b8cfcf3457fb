import { describe, expect, it } from 'vitest';
import { scanDate } from '../../../src/csv/scan/scan-date.ts';
import { scanCellOf } from './support.ts';

describe('scanDate', () => {
  it.each([
    ['06/15/2026', '06/15/2026'],
    ['6/5/2026', '06/05/2026'],
    ['02/29/2024', '02/29/2024'],
    ['12/31/2099', '12/31/2099'],
    ['1/01/1900', '01/01/1900'],
  ])('reads %s', (text, sent) => {
    expect(scanCellOf(`${text},x`, scanDate)).toMatchObject({ sent, rest: ',x' });
  });

  it.each(['02/29/2023', '13/01/2026', '04/31/2026', '0/1/2026', '1/0/2026', '1/1/1899', '1/1/2100', '06/15/26'])(
    'declines %s',
    (text) => {
      expect(scanCellOf(`${text},`, scanDate)).toBeUndefined();
    },
  );

  it.each(['', '06-15-2026', '/15/2026', '06//2026', '2026/06/15', 'x6/15/2026'])('declines %j', (text) => {
    expect(scanCellOf(`${text},`, scanDate)).toBeUndefined();
  });
});
