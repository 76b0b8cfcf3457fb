import { beforeAll, describe, expect, it } from 'vitest';
import { acknowledgeRun } from '../../../src/ledger/schedule/acknowledge-run.ts';
import { beginRun, finishRun, missRun } from '../../../src/ledger/schedule/begin-run.ts';
import {
  countClaimed,
  findRun,
  listLateRuns,
  listMissed,
  listTroubledRuns,
  readDoneBefore,
  readLastRun,
  readOpenRuns,
  readRun,
} from '../../../src/ledger/schedule/read-runs.ts';
import type { RunRow } from '../../../src/ledger/engine/records.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { BECAUSE, freshSchedule } from '../support/put-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

describe('questions about runs', () => {
  let name: string;
  beforeAll(async () => {
    name = await freshSchedule(world);
    await put('2026-06-08', 'done');
    await put('2026-06-09', 'failed');
    await put('2026-06-10', 'missed');
    await put('2026-06-11', 'done');
    await put('2026-06-12', 'failed');
    await put('2026-06-15', 'running');
  });
  async function put(day: string, state: 'done' | 'failed' | 'missed' | 'running'): Promise<void> {
    const due = { day, at: noon(day) };
    if (state === 'missed') return void (await missRun(world.ledger, name, due, BECAUSE));
    const run = (await beginRun(world.ledger, name, due, BECAUSE))!;
    if (state !== 'running') await finishRun(world.ledger, run, state, BECAUSE);
  }
  function noon(day: string): Date {
    return new Date(`${day}T12:00:00Z`);
  }
  const days = (runs: readonly RunRow[]) => runs.map((run) => run.business_date);

  it('readRun answers for one date', async () => {
    expect(await readRun(world.ledger, name, '2026-06-10')).toMatchObject({
      business_date: '2026-06-10',
      state: 'missed',
    });
    expect(await readRun(world.ledger, name, '2026-06-13')).toBeUndefined();
    expect(await readRun(world.ledger, 'weekly', '2026-06-10')).toBeUndefined();
  });

  it('readLastRun gives the latest date, whatever became of it', async () => {
    expect(await readLastRun(world.ledger, name, '2026-06-16')).toMatchObject({ business_date: '2026-06-15' });
    expect(await readLastRun(world.ledger, 'weekly', '2026-06-16')).toBeUndefined();
  });

  it('readOpenRuns gives what runs, and what failed since', async () => {
    expect(days(await readOpenRuns(world.ledger, name, noon('2026-06-11'), noon('2026-06-15')))).toEqual([
      '2026-06-12',
      '2026-06-15',
    ]);
    expect(days(await readOpenRuns(world.ledger, name, noon('2026-06-12'), noon('2026-06-15')))).toEqual([
      '2026-06-15',
    ]);
    expect(await readOpenRuns(world.ledger, 'weekly', noon('2026-06-01'), noon('2026-06-15'))).toEqual([]);
    // This run was declared missed too soon.
    const early = await readOpenRuns(world.ledger, name, noon('2026-06-09'), noon('2026-06-10'));
    expect(days(early)).toEqual(['2026-06-10', '2026-06-12', '2026-06-15']);
    expect(days(await readOpenRuns(world.ledger, name, noon('2026-06-08'), noon('2026-06-09')))).not.toContain(
      '2026-06-10',
    );
  });

  it.each([
    ['2026-06-15', '2026-06-11'],
    ['2026-06-12', '2026-06-11'],
    ['2026-06-11', '2026-06-08'],
    ['2026-06-08', undefined],
  ])('readDoneBefore %s gives %s', async (day, done) => {
    expect((await readDoneBefore(world.ledger, name, day))?.business_date).toBe(done);
  });

  it.each([
    ['2026-06-10', '2026-06-11', ['2026-06-10']],
    ['2026-06-09', '2026-06-10', []],
    ['2026-06-11', '2026-06-16', []],
  ])('listMissed from noon of %s until that of %s gives %j', async (from, until, missed) => {
    expect(days(await listMissed(world.ledger, [name], noon(from), noon(until)))).toEqual(missed);
    expect(await listMissed(world.ledger, ['weekly'], noon(from), noon(until))).toEqual([]);
  });

  it('listLateRuns gives what was missed or failed since', async () => {
    expect(days(await listLateRuns(world.ledger, noon('2026-06-10')))).toEqual(['2026-06-10', '2026-06-12']);
  });

  it('lists a run that a user acknowledged with all that were missed or failed, and not with the open ones', async () => {
    await acknowledgeRun(world.ledger, await findRun(world.ledger, name, '2026-06-12'), BECAUSE);
    expect(days(await listLateRuns(world.ledger, noon('2026-06-10')))).toEqual(['2026-06-10']);
    expect(days(await listTroubledRuns(world.ledger))).toEqual(['2026-06-12', '2026-06-10', '2026-06-09']);
  });

  it.each(['2026-06-13', '2026-02-30', 'yesterday', ''])('findRun refuses "%s", which has no run', async (day) => {
    await expect(findRun(world.ledger, name, day)).rejects.toThrow(
      `Cannot find the run of "${name}" for "${day}": there is none. Write the date as 2026-06-15.`,
    );
  });
});

describe('countClaimed', () => {
  beforeAll(async () => {
    for (const [folder, at] of [
      ['drop/dues', '2026-06-15T10:00:00Z'],
      ['drop/dues', '2026-06-15T11:00:00Z'],
      ['drop/fees', '2026-06-15T11:00:00Z'],
    ] as const)
      await world.claimed({ folder, claimedAt: new Date(at) });
  });

  it.each([
    [['drop/dues'], '10:00', '11:00', 2],
    [['drop/dues', 'drop/fees'], '10:00', '11:00', 3],
    [['drop/dues'], '10:01', '11:00', 1],
    [['drop/dues'], '10:00', '10:59', 1],
    [['drop/none'], '10:00', '11:00', 0],
    [[], '10:00', '11:00', 0],
  ])('in %j from %s until %s: %i', async (folders, from, until, files) => {
    const at = (time: string) => new Date(`2026-06-15T${time}:00Z`);
    expect(await countClaimed(world.ledger, folders, at(from), at(until))).toBe(files);
  });
});
