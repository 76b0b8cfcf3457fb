import { expect, it } from 'vitest';
import { DECLINED, newRowDesk } from '../../../src/csv/scan/row-desk.ts';

it('newRowDesk begins empty, and no place in a line means that it was declined', () => {
  expect(newRowDesk()).toMatchObject({ to: 0, replaced: [], mostDigits: 0, isQuoted: false });
  expect(newRowDesk().replaced).not.toBe(newRowDesk().replaced);
  expect(DECLINED).toBeLessThan(0);
});
