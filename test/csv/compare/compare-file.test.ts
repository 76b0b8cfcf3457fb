import { describe, expect, it } from 'vitest';
import { freshSeed } from '../../support/random.ts';
import { compareRows } from './compare-file.ts';

const LARGEST_ROWS = 400;

/** Small files; compare-file.soak.test.ts compares more rows, and shows that an oversight would be detected. */
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
});
