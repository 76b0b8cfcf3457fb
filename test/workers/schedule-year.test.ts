import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOneRunEach, type Nights } from './support/live-through.ts';
import { openScheduleWorld, type ScheduleWorld } from './support/schedule-world.ts';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await openScheduleWorld();
});
afterAll(() => world.close());

/** Around changes of the clocks, one in each of the three zones; the whole year is lived through in schedule-year.soak.test.ts. */
const CHANGES: readonly Nights[] = [
  { first: '2026-03-06', last: '2026-03-09' },
  { first: '2026-04-02', last: '2026-04-06' },
  { first: '2026-10-23', last: '2026-10-26' },
];
const OTHERS: readonly Nights[] = [
  { first: '2026-03-27', last: '2026-03-30' },
  { first: '2026-10-02', last: '2026-10-05' },
  { first: '2026-10-30', last: '2026-11-02' },
];

/** More than in the soak, for so few nights. */
const TROUBLES = { restart: 0.1, death: 0.3 };

describe('schedules in the nights in which clocks change', () => {
  it('have one run for each business date, done, and no other', async () => {
    let again = 0;
    for (const nights of CHANGES) again += await expectOneRunEach(world, nights, { seed: 20_260_101, ...TROUBLES });
    expect(again).toBeGreaterThan(0);
  });

  it('have so with other steps of time, too', async () => {
    const seed = randomInt(2 ** 31);
    await expectOneRunEach(world, OTHERS[seed % OTHERS.length]!, { seed, ...TROUBLES });
  });
});
