import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOneRunEach } from '../support/live-through.ts';
import { openScheduleWorld, type ScheduleWorld } from '../support/schedule-world.ts';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await openScheduleWorld();
});
afterAll(() => world.close());

const YEAR = { first: '2026-01-01', last: '2026-12-31' };
const TROUBLES = { restart: 0.02, death: 0.05 };

describe('a year of schedules', () => {
  it.each([
    ['always the same', 20_260_101],
    ['another each time', randomInt(2 ** 31)],
  ])(
    'has one run for each business date, done, and no other; steps of time %s',
    async (_, seed) => {
      expect(await expectOneRunEach(world, YEAR, { seed, ...TROUBLES }), `seed ${seed}`).toBeGreaterThan(20);
    },
    300_000,
  );
});
