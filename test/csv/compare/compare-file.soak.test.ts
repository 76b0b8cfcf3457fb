import { describe, expect, it } from 'vitest';
import { freshSeed } from '../../gateway/support/seeds.ts';
import { checkByBytes } from './check-by-bytes.ts';
import { compareRows } from './compare-rows.ts';
import { OVERSIGHTS } from './oversights.ts';

const LARGEST_ROWS = 4_000;

/** See compare-file.test.ts. */
describe('the check by bytes, for long', () => {
  it.each([1, freshSeed()])(
    'says of 120,000 rows what the reference says, from seed %i on',
    async (seed) => {
      const { last, rows, valid } = await compareRows({ seed, rows: 120_000, largestRows: LARGEST_ROWS });
      expect(last.difference, `seed ${last.seed}, files of up to ${LARGEST_ROWS} rows`).toBeUndefined();
      expect(valid).toBeGreaterThan(rows / 3);
    },
    300_000,
  );

  it.each(OVERSIGHTS)(
    'would be found out in large files if it overlooked %s',
    async (_, overlook) => {
      const { last } = await compareRows({
        seed: 1,
        rows: 120_000,
        largestRows: LARGEST_ROWS,
        check: (source, rules, groupLines) => checkByBytes(source, overlook(rules), groupLines),
      });
      expect(last.difference).toBeDefined();
    },
    300_000,
  );
});
