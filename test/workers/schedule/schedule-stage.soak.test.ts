import { randomInt } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import type { App } from '../../../src/app.ts';
import type { Folder } from '../../../src/config/config.ts';
import { startWorkers, type Workers } from '../../../workers/main.ts';
import { beginRun } from '../../../src/ledger/schedule/begin-run.ts';
import { sweep } from '../../../workers/upkeep/sweep.ts';
import { jobKeyOf } from '../../../workers/enqueue.ts';
import { expectationOf } from '../../../workers/schedule/check-expected.ts';
import { runSchedule } from '../../../workers/schedule/schedule.ts';
import { loseQueue, query } from '../support/story.ts';
import { NOON, openScheduleWorld } from '../support/schedule-world.ts';
import { expectOneRunEach } from '../support/live-through.ts';

/** Schedules as a process's workers run them, through queue and sweep. */

const world = openedForTests(openScheduleWorld);

let tests = 0;
let schedule: string;
let own: Folder;
let free: Folder;
let app: App;
let workers: Workers | undefined;
beforeEach(async () => {
  tests += 1;
  schedule = `nightly-${tests}`;
  own = await world.makeFolder(`drop/own-${tests}`, { schedule });
  free = await world.makeFolder(`drop/free-${tests}`);
  app = world.appWith({ [schedule]: { does: 'take', at: '22:00' } }, [own, free]);
  app = { ...app, settings: { ...app.settings, watch: 'poll', sweepMs: 50 } };
  world.clock.set(NOON);
  await runSchedule(app, { schedule });
});
afterEach(async () => {
  await workers?.stop();
  workers = undefined;
});

async function namesTaken(): Promise<string[]> {
  const rows = await query<{ name: string }>(app, 'SELECT name FROM file WHERE folder = ANY ($1) ORDER BY name', [
    [own.id, free.id],
  ]);
  return rows.map((row) => row.name);
}

async function jobs(): Promise<string[]> {
  return [...(await app.queue.ids('schedule', 'next'))]
    .map(jobKeyOf)
    .filter((jobKey) => jobKey === `schedule-${schedule}`);
}

describe('the stage of schedules', () => {
  it('takes the files of a schedule at its time and no earlier, those of other folders at once', async () => {
    await world.dropMarked(own, 'own.csv');
    await world.dropMarked(free, 'free.csv');
    workers = await startWorkers(app);
    expect(await workers.look()).toBe(0);
    expect(await namesTaken()).toEqual(['free.csv']);
    world.clock.set('2026-06-15T22:00:00Z');
    await expect.poll(() => world.runs(schedule)).toMatchObject([{ state: 'done', summary: { files: 1 } }]);
    expect(await namesTaken()).toEqual(['free.csv', 'own.csv']);
    expect(await workers.look()).toBe(0);
  });

  it('reminds itself of its schedules, and of no others', async () => {
    workers = await startWorkers(app);
    expect(await app.queue.counts('schedule')).toMatchObject({ delayed: 1 });
  });

  it('counts a run that is due among what is still to come', async () => {
    app = { ...app, settings: { ...app.settings, sweepMs: 3_600_000 } };
    workers = await startWorkers(app);
    world.clock.set('2026-06-15T22:00:00Z');
    expect(await workers.look()).toBe(1);
  });
});

describe('sweep', () => {
  it('asks for a run that is due, once, and for nothing else', async () => {
    await loseQueue(app);
    await sweep(app);
    expect(await jobs()).toEqual([]);
    world.clock.set('2026-06-15T22:00:00Z');
    await sweep(app);
    await sweep(app);
    expect(await jobs()).toEqual([`schedule-${schedule}`]);
  });

  it('asks for a run whose worker died', async () => {
    const due = { day: '2026-06-15', at: new Date('2026-06-15T22:00:00Z') };
    await beginRun(app.ledger, schedule, due, { actor: 'worker:schedule', reason: 'its time has come' });
    await loseQueue(app);
    await sweep(app);
    expect(await jobs()).toEqual([`schedule-${schedule}`]);
  });

  it('looks for files that are expected, but not at the start, when nobody has looked at the folders', async () => {
    const expect18 = { by: '18:00', days: ['mon' as const], holidays: [] };
    app = { ...app, settings: { ...app.settings, folders: [{ ...free, expect: expect18 }] } };
    await sweep(app);
    world.clock.set('2026-06-15T18:00:00Z');
    await sweep(app, { atStart: true });
    expect(await world.runs(expectationOf(free.id))).toEqual([]);
    await sweep(app);
    expect(await world.runs(expectationOf(free.id))).toMatchObject([{ day: '2026-06-15', state: 'missed' }]);
  });
});

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
