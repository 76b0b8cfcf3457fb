import { afterAll, beforeAll, describe, it } from 'vitest';
import type { DashboardWorld } from '../support/dashboard-world.ts';
import { expectRefusal, openSmallDashboard } from './support/send-endless.ts';

let world: DashboardWorld;
beforeAll(async () => {
  world = await openSmallDashboard();
});
afterAll(() => world.close());

const GIGABYTE = 1_073_741_824;

describe('a file of a gigabyte', () => {
  it.each(['check', 'submit'])(
    'is refused at the limit of the folder, and nothing of it is kept (%s)',
    async (action) => {
      await expectRefusal(world, action, GIGABYTE);
    },
  );
});
