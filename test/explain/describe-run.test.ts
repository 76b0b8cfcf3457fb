import { describe, expect, it } from 'vitest';
import { describeRun } from '../../src/explain/describe-run.ts';

describe('describeRun', () => {
  it.each([
    [{ files: 1 }, '1 file taken'],
    [{ files: 0, says: 'done' }, '0 files taken'],
    [{ files: 2, settling: 1 }, '2 files taken, 1 still being written'],
    [{ difference: { rows: 0, total: '0.00' } }, 'difference 0 rows, 0.00'],
    [{ says: 'paydrop was not running at its time' }, 'paydrop was not running at its time'],
    [{}, 'no more is known'],
  ])('says of %j: %s', (summary, words) => {
    expect(describeRun(summary)).toBe(words);
  });
});
