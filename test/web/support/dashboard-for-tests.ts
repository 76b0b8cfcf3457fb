import { afterAll, beforeAll } from 'vitest';
import { type DashboardWorld, openDashboardWorld } from './dashboard-world.ts';

/** Opens a dashboard before the tests of this file or group, and closes it after them. Until then it has nothing. */
export function dashboardForTests(options: Parameters<typeof openDashboardWorld>[0] = {}): DashboardWorld {
  let world: DashboardWorld | undefined;
  beforeAll(async () => {
    world = await openDashboardWorld(options);
  });
  afterAll(() => world?.close());
  return new Proxy({} as DashboardWorld, { get: (_, name) => world?.[name as keyof DashboardWorld] });
}
