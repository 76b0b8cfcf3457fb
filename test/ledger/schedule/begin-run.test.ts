import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginRun, finishRun, missRun, resumeRun, type Resumption } from '../../../src/ledger/schedule/begin-run.ts';
import type { RunRow } from '../../../src/ledger/engine/records.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { BECAUSE, DAY, DUE, freshSchedule, movesOfSchedule, runOf } from '../support/run-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('beginRun', () => {
  it('begins the run of a date, with a link', async () => {
    const name = await freshSchedule(world);
    const run = await beginRun(world.ledger, name, DUE, BECAUSE);
    expect(run).toMatchObject({
      schedule: name,
      business_date: DAY,
      state: 'running',
      due_at: DUE.at,
      started_at: world.clock.now(),
      worker: world.ledger.instance.id,
      tries: 1,
    });
    expect(await runOf(world, name)).toEqual(run);
    expect(await movesOfSchedule(world, name)).toEqual(['begin-run']);
  });

  it('of many at the same moment, in two processes, lets one begin', async () => {
    const name = await freshSchedule(world);
    const another = await world.openAgain();
    const begun = await Promise.all(
      Array.from({ length: 16 }, (_, index) => beginRun(index % 2 ? another : world.ledger, name, DUE, BECAUSE)),
    );
    expect(begun.filter((run) => run !== undefined)).toHaveLength(1);
    expect(await movesOfSchedule(world, name)).toEqual(['begin-run']);
  });

  it.each(['done', 'failed'] as const)('begins no second run of a date whose run is %s', async (state) => {
    const name = await freshSchedule(world);
    const run = await beginRun(world.ledger, name, DUE, BECAUSE);
    await finishRun(world.ledger, run!, state, BECAUSE);
    expect(await beginRun(world.ledger, name, DUE, BECAUSE)).toBeUndefined();
    expect((await runOf(world, name)).state).toBe(state);
    expect(await beginRun(world.ledger, name, { ...DUE, day: '2026-06-16' }, BECAUSE)).toBeDefined();
  });
});

describe('resumeRun', () => {
  const WAYS: [Resumption, (name: string) => Promise<unknown>][] = [
    ['take-over-run', (name) => beginRun(world.ledger, name, DUE, BECAUSE)],
    [
      'retry-run',
      async (name) => finishRun(world.ledger, (await beginRun(world.ledger, name, DUE, BECAUSE))!, 'failed', BECAUSE),
    ],
    ['make-up-run', (name) => missRun(world.ledger, name, DUE, BECAUSE)],
  ];

  it.each(WAYS)('%s puts it into one pair of hands, and out of those before', async (move, reach) => {
    const name = await freshSchedule(world);
    await reach(name);
    const found = await runOf(world, name);
    const another = await world.openAgain();
    const resumed = await Promise.all(
      [world.ledger, another, world.ledger, another].map((ledger) => resumeRun(ledger, found, move, BECAUSE)),
    );
    const [run, ...others] = resumed.filter((one) => one !== undefined);
    expect(others).toEqual([]);
    expect(run).toMatchObject({ state: 'running', tries: found.tries + 1, finished_at: null, summary: {} });
    expect((await movesOfSchedule(world, name)).filter((one) => one === move)).toHaveLength(1);
    // The previous holder may not end it any more.
    expect(await finishRun(world.ledger, found, 'done', BECAUSE)).toBe(false);
    expect(await finishRun(another, run!, 'done', BECAUSE)).toBe(true);
  });

  it.each(['take-over-run', 'retry-run', 'make-up-run'] as const)(
    '%s leaves a run that is done alone',
    async (move) => {
      const name = await freshSchedule(world);
      const run = await beginRun(world.ledger, name, DUE, BECAUSE);
      await finishRun(world.ledger, run!, 'done', BECAUSE);
      const found: RunRow = await runOf(world, name);
      for (const as of [found, run!]) expect(await resumeRun(world.ledger, as, move, BECAUSE)).toBeUndefined();
      expect(await runOf(world, name)).toEqual(found);
    },
  );

  it('is held by the database too: what is done stays done', async () => {
    const name = await freshSchedule(world);
    await finishRun(world.ledger, (await beginRun(world.ledger, name, DUE, BECAUSE))!, 'done', BECAUSE);
    await expect(
      world.ledger.pool.query(
        `UPDATE schedule_run SET state = 'running', token = gen_random_uuid(), finished_at = NULL WHERE schedule = $1`,
        [name],
      ),
    ).rejects.toThrow('illegal move of a run from done to running');
  });
});
