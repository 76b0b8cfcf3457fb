import { afterAll, expect, it } from 'vitest';
import { openDatabase } from './database.ts';
import { describeFailure, playScenario } from './simulate.ts';
import { freeRandomness } from './choose.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const database = openedForTests(openDatabase);
afterAll(freeRandomness);

/** simulation.soak.test.ts plays more than a hundred, and ones that nobody has played before. */
it('a short scenario with crashes, faults that strike, acts of operators and events meanwhile holds what is promised', async () => {
  const played = await playScenario(111, database);
  expect(played.complaints, describeFailure(played)).toEqual([]);
  const { steps = {}, files = {} } = played.counts;
  expect(Object.keys(steps).length).toBeGreaterThan(3);
  expect(files).toHaveProperty('completed');
});
