import { beforeEach, describe, expect, it } from 'vitest';
import {
  beginRun,
  finishRun,
  forgetEarlyMisses,
  missRun,
  noteTakenAgain,
  resumeRun,
  type Resumption,
  seeSchedule,
} from '../../../src/ledger/schedule/begin-run.ts';
import type { RunRow } from '../../../src/ledger/engine/records.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';
import { BECAUSE, DAY, DUE, freshSchedule, movesOfSchedule, runOf } from '../support/put-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

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

  const moves = ['take-over-run', 'retry-run', 'make-up-run'] as const;
  it.each(moves)('%s leaves a run that is done alone', async (move) => {
    const name = await freshSchedule(world);
    const run = await beginRun(world.ledger, name, DUE, BECAUSE);
    await finishRun(world.ledger, run!, 'done', BECAUSE);
    const found: RunRow = await runOf(world, name);
    for (const as of [found, run!]) expect(await resumeRun(world.ledger, as, move, BECAUSE)).toBeUndefined();
    expect(await runOf(world, name)).toEqual(found);
  });

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

describe('finishRun', () => {
  it.each([
    ['done', 'finish-run'],
    ['failed', 'fail-run'],
  ] as const)('ends a run as %s, once, with what there is to say', async (state, move) => {
    const name = await freshSchedule(world);
    const run = (await beginRun(world.ledger, name, DUE, BECAUSE))!;
    world.clock.advance(1_000);
    const because = { actor: 'worker:schedule', reason: 'that is all' };
    expect(await finishRun(world.ledger, run, state, because, { files: 3 })).toBe(true);
    expect(await runOf(world, name)).toMatchObject({
      state,
      finished_at: world.clock.now(),
      token: null,
      summary: { says: 'that is all', files: 3 },
    });
    expect(await finishRun(world.ledger, run, 'done', because)).toBe(false);
    expect(await movesOfSchedule(world, name)).toEqual(['begin-run', move]);
  });

  it('does not end a run that is in other hands', async () => {
    const name = await freshSchedule(world);
    const run = (await beginRun(world.ledger, name, DUE, BECAUSE))!;
    const stranger = { ...run, token: '00000000-0000-4000-8000-000000000000' };
    expect(await finishRun(world.ledger, stranger, 'done', BECAUSE)).toBe(false);
    expect(await runOf(world, name)).toEqual(run);
  });
});

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

describe('noteTakenAgain', () => {
  it('is a link of the audit trail, with the person', async () => {
    await noteTakenAgain(world.ledger, 'nightly', { actor: 'operator:ada', reason: 'a file came late' });
    const { rows } = await world.ledger.pool.query(
      `SELECT actor, move, from_state, to_state, reason, evidence FROM audit WHERE move = 'take-again'`,
    );
    expect(rows).toEqual([
      {
        actor: 'operator:ada',
        move: 'take-again',
        from_state: null,
        to_state: null,
        reason: 'a file came late',
        evidence: { schedule: 'nightly' },
      },
    ]);
  });
});

describe('seeSchedule', () => {
  const HOUR_MS = 3_600_000;
  beforeEach(() => world.empty());
  function see(rules = 'at 22:00'): Promise<Date> {
    return seeSchedule(world.ledger, 'nightly', rules, 4 * HOUR_MS);
  }

  it('remembers when a schedule was first seen, in every process', async () => {
    expect(await see()).toEqual(new Date(START));
    world.clock.advance(48 * HOUR_MS);
    const another = await world.openAgain();
    expect(await seeSchedule(another, 'nightly', 'at 22:00', 4 * HOUR_MS)).toEqual(new Date(START));
    expect(await seeSchedule(world.ledger, 'weekly', 'at 22:00', 4 * HOUR_MS)).toEqual(world.clock.now());
  });

  it('asks of new times only for what may still be made', async () => {
    await see();
    world.clock.advance(48 * HOUR_MS);
    const changedAt = world.clock.now().getTime();
    expect(await see('at 21:00')).toEqual(new Date(changedAt - 4 * HOUR_MS));
    world.clock.advance(HOUR_MS);
    expect(await see('at 21:00')).toEqual(new Date(changedAt - 4 * HOUR_MS));
  });

  it('never goes back behind the moment at which it was first seen', async () => {
    await see();
    world.clock.advance(HOUR_MS);
    expect(await see('at 21:00')).toEqual(new Date(START));
  });

  it('takes back what a clock has noted that was ahead', async () => {
    world.clock.advance(400 * 24 * HOUR_MS);
    await see();
    world.clock.set(START);
    expect(await see()).toEqual(new Date(START));
    world.clock.advance(HOUR_MS);
    expect(await see()).toEqual(new Date(START));
  });

  it('two processes that see it first at the same moment agree', async () => {
    const another = await world.openAgain();
    const [one, other] = await Promise.all([see(), seeSchedule(another, 'nightly', 'at 22:00', 4 * HOUR_MS)]);
    expect(one).toEqual(other);
  });
});
