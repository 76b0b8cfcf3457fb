import { randomInt } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { openDatabase } from './database.ts';
import { describeFailure, makeTotals, playScenario } from './simulate.ts';
import { freeRandomness } from './choose.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

/** A short scenario with crashes, faults that strike, acts of operators and events meanwhile. */
const KNOWN_SEEDS = [111];
const FRESH_SEEDS = [randomInt(1_000_000, 2 ** 31)];

/** simulation.soak.test.ts plays more than a hundred. */
describe('a scenario holds what is promised', () => {
  const database = openedForTests(openDatabase);
  afterAll(freeRandomness);

  it.each([
    ['that is the same in every run', KNOWN_SEEDS],
    ['that nobody has played before', FRESH_SEEDS],
  ])('%s', async (_, seeds) => {
    const totals = makeTotals();
    for (const seed of seeds) {
      const played = await playScenario(seed, database);
      expect(played.complaints, describeFailure(played)).toEqual([]);
      totals.add(played.counts);
    }
    const { steps = {}, files = {} } = totals.counts();
    expect(Object.keys(steps).length).toBeGreaterThan(3);
    if (seeds === KNOWN_SEEDS) expect(files).toHaveProperty('completed');
  });
});
