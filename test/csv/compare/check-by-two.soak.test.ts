import { afterAll, describe, expect, it } from 'vitest';
import { openThread } from '../../../src/thread/open-thread.ts';
import { freshSeed } from '../../gateway/support/seeds.ts';
import { checkByTwo } from './check-by-two.ts';
import { compareRows } from './compare-rows.ts';
import { overlookExpiry, rekeyHashes } from './oversights.ts';

const thread = openThread();
afterAll(() => thread.close());

const LARGEST_ROWS = 30_000;

describe('the check by two threads', () => {
  it.each([7_001, freshSeed()])(
    'says what the reference says, from seed %i on',
    async (seed) => {
      const { last } = await compareRows({ seed, rows: 200_000, largestRows: LARGEST_ROWS, check: checkByTwo(thread) });
      expect(last.difference, `seed ${last.seed}, files of up to ${LARGEST_ROWS} rows`).toBeUndefined();
    },
    300_000,
  );

  it.each([
    ['overlooked which cards have expired', overlookExpiry, /./],
    ['made other hashes of payments', rekeyHashes, /DUPLICATE_ROW/],
  ])(
    'would be found out if the second %s',
    async (_what, change, difference) => {
      const check = checkByTwo(thread, change);
      const { last } = await compareRows({ seed: 7_001, rows: 1_000_000, largestRows: LARGEST_ROWS, check });
      expect(last.difference).toMatch(difference);
    },
    300_000,
  );
});
