import { afterAll, describe, expect, it } from 'vitest';
import { openThread } from '../../../src/thread/open-thread.ts';
import { freshSeed } from '../../gateway/support/seeds.ts';
import { checkByTwo } from './check-by-two.ts';
import { compareRows } from './compare-rows.ts';
import { overlookExpiry, rekeyHashes } from './oversights.ts';

const thread = openThread();
afterAll(() => thread.close());

/** Files of more blocks than are read ahead. */
const LARGEST_ROWS = 30_000;

/** A few files; check-by-two.soak.test.ts compares many. */
describe('the check by two threads', () => {
  it.each([
    ['of the files of one seed', 7_001, 4_000],
    ['of a file that nobody has compared before', freshSeed(), 2_000],
  ])('says %s what the reference says', async (_of, seed, rows) => {
    const { last } = await compareRows({ seed, rows, largestRows: LARGEST_ROWS, check: checkByTwo(thread) });
    expect(last.difference, `seed ${last.seed}, files of up to ${LARGEST_ROWS} rows`).toBeUndefined();
  });

  // They begin with files in which it shows.
  it('would be found out if the second overlooked which cards have expired', async () => {
    const check = checkByTwo(thread, overlookExpiry);
    const { last } = await compareRows({ seed: 7_016, rows: 1_000_000, largestRows: LARGEST_ROWS, check });
    expect(last.difference).toBeDefined();
  });

  it('would be found out if the second made other hashes of payments', async () => {
    const check = checkByTwo(thread, rekeyHashes);
    const { last } = await compareRows({ seed: 7_004, rows: 1_000_000, largestRows: LARGEST_ROWS, check });
    expect(last.difference).toMatch(/DUPLICATE_ROW/);
  });
});
