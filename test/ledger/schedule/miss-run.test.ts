import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginRun, forgetEarlyMisses, missRun } from '../../../src/ledger/schedule/begin-run.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { BECAUSE, DUE, freshSchedule, movesOfSchedule, runOf } from '../support/run-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('missRun', () => {
  it('is written once, so that one of many says it', async () => {
    const name = await freshSchedule(world);
    const another = await world.openAgain();
    const said = await Promise.all(
      [world.ledger, another, world.ledger, another].map((ledger) => missRun(ledger, name, DUE, BECAUSE)),
    );
    expect(said.filter(Boolean)).toHaveLength(1);
    expect(await runOf(world, name)).toMatchObject({
      state: 'missed',
      due_at: DUE.at,
      started_at: null,
      tries: 0,
      summary: { says: BECAUSE.reason },
    });
    expect(await movesOfSchedule(world, name)).toEqual(['miss-run']);
  });

  it('leaves a run alone that somebody has begun', async () => {
    const name = await freshSchedule(world);
    const run = await beginRun(world.ledger, name, DUE, BECAUSE);
    expect(await missRun(world.ledger, name, DUE, BECAUSE)).toBe(false);
    expect(await runOf(world, name)).toEqual(run);
  });
});

describe('forgetEarlyMisses', () => {
  it('takes back what is still to come, and nothing else', async () => {
    const name = await freshSchedule(world);
    await missRun(world.ledger, name, DUE, BECAUSE);
    world.clock.set(DUE.at);
    await forgetEarlyMisses(world.ledger, name);
    expect(await runOf(world, name)).toMatchObject({ state: 'missed' });
    world.clock.advance(-400 * 86_400_000);
    await forgetEarlyMisses(world.ledger, name);
    expect(await runOf(world, name)).toBeUndefined();
    await beginRun(world.ledger, name, DUE, BECAUSE);
    await forgetEarlyMisses(world.ledger, name);
    expect(await runOf(world, name)).toMatchObject({ state: 'running' });
  });
});
