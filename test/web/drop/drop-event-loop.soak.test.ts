import { afterAll, beforeAll, describe, it } from 'vitest';
import { type DashboardWorld, openDashboardWorld } from '../support/dashboard-world.ts';
import { answerMeanwhile, giveWay } from './support/check-beside-others.ts';

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
});
afterAll(() => world.close());

const ROWS = 200_000;

describe('a check of 200,000 rows', () => {
  it('keeps nobody waiting', () => answerMeanwhile(world, ROWS));

  it('lets the others have their turn after a few pieces', () => giveWay(world, ROWS));
});
