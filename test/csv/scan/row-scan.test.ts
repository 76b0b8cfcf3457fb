import { expect, it } from 'vitest';
import { DECLINED, newRowScan } from '../../../src/csv/scan/row-scan.ts';

it('newRowScan begins empty, and no place in a line means that it was declined', () => {
  expect(newRowScan()).toMatchObject({ to: 0, replaced: [], mostDigits: 0, isQuoted: false });
  expect(newRowScan().replaced).not.toBe(newRowScan().replaced);
  expect(DECLINED).toBeLessThan(0);
});
