import { expect, it } from 'vitest';
import { labelLines } from '../../../src/cli/print/label-lines.ts';

it('labelLines puts the values in one column and leaves out the empty ones', () => {
  const rows = [
    ['code', '15'],
    ['a much longer label', ''],
    ['message', 'no'],
  ] as const;
  expect(labelLines(rows)).toBe('  code     15\n  message  no');
  expect(labelLines([])).toBe('');
});
