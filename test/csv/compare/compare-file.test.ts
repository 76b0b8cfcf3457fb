import { describe, expect, it } from 'vitest';
import { freshSeed } from '../../gateway/support/seeds.ts';
import { checkByBytes } from './check-by-bytes.ts';
import { compareRows } from './compare-rows.ts';
import { OVERSIGHTS } from './oversights.ts';

const LARGEST_ROWS = 400;

/** Small files; compare-file.soak.test.ts compares a million rows. */
describe('the check by bytes', () => {
  it('says of many small files what the reference says', async () => {
    const { last, rows, valid } = await compareRows({ seed: 1, rows: 4_000, largestRows: LARGEST_ROWS });
    expect(last.difference, `seed ${last.seed}, files of up to ${LARGEST_ROWS} rows`).toBeUndefined();
    expect(valid).toBeGreaterThan(rows / 3);
  });

  it('says the same of files that nobody has compared before', async () => {
    const { last } = await compareRows({ seed: freshSeed(), rows: 4_000, largestRows: LARGEST_ROWS });
    expect(last.difference, `seed ${last.seed}, files of up to ${LARGEST_ROWS} rows`).toBeUndefined();
  });

  it.each(OVERSIGHTS)('would be found out if it overlooked %s', async (_, overlook) => {
    const { last } = await compareRows({
      seed: 1,
      rows: 20_000,
      largestRows: LARGEST_ROWS,
      check: (source, rules, groupLines) => checkByBytes(source, overlook(rules), groupLines),
    });
    expect(last.difference).toBeDefined();
  });
});
