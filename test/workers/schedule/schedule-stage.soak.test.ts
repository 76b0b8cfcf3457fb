import { expectWholeFromLooks } from '../../kernel/support/whole-from-looks.ts';
import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import type { App } from '../../../src/app.ts';
import type { Folder } from '../../../src/config/config.ts';
import { startWorkers, type Workers } from '../../../workers/main.ts';
import { beginRun } from '../../../src/ledger/schedule/begin-run.ts';
import { sweep } from '../../../workers/upkeep/sweep.ts';
import { runOnce } from '../../../workers/stage.ts';
import { expectationOf } from '../../../workers/schedule/check-expected.ts';
import { findDueRuns, runSchedule, SCHEDULE } from '../../../workers/schedule/schedule.ts';
import { dueOf } from '../support/stage-steps.ts';
import { query } from '../support/story.ts';
import { NOON, openScheduleWorld, type ScheduleText, type ScheduleWorld } from '../support/schedule-world.ts';
import { addDays } from '../../../src/calendar/calendar.ts';
import { formatInZone } from '../../../src/calendar/zone-time.ts';
import { seededRandom } from '../../support/random.ts';

describe('schedule stage', () => {
  /** Schedules as a process's workers run them, through rings and sweeps. */

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
    await runSchedule(app, schedule);
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

  describe('SCHEDULE', () => {
    it('finds a run that is due, until it is made, and nothing else', async () => {
      expect(await dueOf(app, SCHEDULE)).toEqual([]);
      world.clock.set('2026-06-15T22:00:00Z');
      expect(await dueOf(app, SCHEDULE)).toEqual([{ schedule }]);
      expect(await runOnce(app, SCHEDULE)).toBe(1);
      expect(await world.runs(schedule)).toMatchObject([{ state: 'done', tries: 1 }]);
      expect(await runOnce(app, SCHEDULE)).toBe(0);
    });

    it('makes a run whose worker died', async () => {
      const due = { day: '2026-06-15', at: new Date('2026-06-15T22:00:00Z') };
      await beginRun(app.ledger, schedule, due, { actor: 'worker:schedule', reason: 'its time has come' });
      expect(await runOnce(app, SCHEDULE)).toBe(1);
      expect(await world.runs(schedule)).toMatchObject([{ state: 'done', tries: 2 }]);
    });

    it('makes a run while another one that is due at the same time waits for its drops', async () => {
      const slow = await world.makeFolder(`drop/slow-${tests}`, {
        schedule: `early-${tests}`,
        complete: { by: 'quiet', quietMs: 60_000, probes: 2 },
      });
      const times = { does: 'take', at: '22:00' } as const;
      const both = world.appWith({ [`early-${tests}`]: times, [schedule]: times }, [slow, own]);
      app = { ...both, settings: { ...both.settings, watch: 'poll', sweepMs: 50 } };
      await runSchedule(app, `early-${tests}`);
      // By this clock it never comes to rest.
      await writeFile(join(slow.path, 'growing.csv'), 'half');
      await world.dropMarked(own, 'own.csv');
      world.clock.set('2026-06-15T22:00:00Z');
      workers = await startWorkers(app);
      await expect.poll(() => world.runs(schedule)).toMatchObject([{ state: 'done', summary: { files: 1 } }]);
      expect(await world.runs(`early-${tests}`)).toMatchObject([{ state: 'running' }]);
    });
  });

  describe('sweep', () => {
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
});

/**
 * Plays nights in three zones. Time passes in irregular steps, and both hosts or one of them look. Hosts restart, and
 * some die in the middle of a run.
 */

const ZONES = ['America/Toronto', 'Europe/London', 'Australia/Sydney'] as const;
/** In each zone, one of the first two comes twice in an autumn night, and one is skipped in a spring night. */
const TIMES = ['02:30', '01:30', '22:00'] as const;
const HOLIDAYS = ['2026-01-01', '2026-04-03', '2026-07-01', '2026-12-25'];
const WINDOW_MINUTES = 1_440;
const LONGEST_STEP_MINUTES = 1_400;
/** Sundays are included where clocks change, because they change on Sundays. */
const DAYS = { '02:30': [0, 2, 4], '01:30': [0, 1, 5], '22:00': [1, 2, 3, 4, 5] } as const;
const NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

/** Nights that skip the time: the first moment after the gap. */
const GAPS: Record<string, string> = {
  'America/Toronto 02:30': '2026-03-08 03:00',
  'Europe/London 01:30': '2026-03-29 02:00',
  'Australia/Sydney 02:30': '2026-10-04 03:00',
};

/** First and last day, in 2026. */
type Nights = { first: string; last: string };

/** Chances that a host restarts or dies, for each step of time. */
type Troubles = { restart: number; death: number };

let lives = 0;

/**
 * Plays these nights and checks that each business date has one finished run, and that there is no other.
 * @returns how many runs had to begin again
 */
async function expectOneRunEach(
  world: ScheduleWorld,
  { first, last }: Nights,
  { seed, restart, death }: Troubles & { seed: number },
): Promise<number> {
  lives += 1;
  // Nothing is due just outside, so it does not matter in which zone the days begin and end.
  const [before, after, behind] = [addDays(first, -1), addDays(last, 1), addDays(last, 2)];
  const holidays = [...HOLIDAYS, before, after, behind];
  const schedules: Record<string, ScheduleText> = Object.fromEntries(
    ZONES.flatMap((timeZone, zone) =>
      TIMES.map((at) => {
        const days = DAYS[at].map((day) => NAMES[day]);
        const times = { at, timeZone, days, holidays, windowMinutes: WINDOW_MINUTES };
        return [`zone-${lives}-${zone}-${at.replace(':', '')}`, { does: 'take' as const, ...times }];
      }),
    ),
  );
  const logged = world.logged.length;
  await liveThrough(world, schedules, {
    start: `${before}T12:00:00Z`,
    end: `${after}T12:00:00Z`,
    random: seededRandom(seed),
    restart,
    death,
  });
  const said = `seed ${seed}, ${first} to ${last}`;
  expect(
    world.logged.slice(logged).filter((line) => line.level === 'error'),
    said,
  ).toEqual([]);
  let again = 0;
  for (const [name, { at, timeZone = 'UTC' }] of Object.entries(schedules)) {
    const dates = businessDates({ first, last }, DAYS[at as keyof typeof DAYS], holidays);
    const runs = await world.runs(name);
    again += runs.filter(({ tries }) => tries > 1).length;
    expect(
      runs.map(({ day, state }) => `${day} ${state}`),
      said,
    ).toEqual(dates.map((day) => `${day} done`));
    expect(await movesOf(world, name, 'finish-run'), said).toEqual(dates);
    expect(await movesOf(world, name, 'begin-run'), said).toEqual(dates);
    const odd = (await dueMoments(world, name)).filter(({ day, due }) => local(due, timeZone) !== `${day} ${at}`);
    const gap = GAPS[`${timeZone} ${at}`];
    expect({ name, odd: odd.map(({ due }) => local(due, timeZone)) }, said).toEqual({
      name,
      odd: gap !== undefined && gap >= first && gap < after ? [gap] : [],
    });
  }
  return again;
}

type Life = Troubles & { start: string; end: string; random: () => number };

async function liveThrough(
  world: ScheduleWorld,
  schedules: Record<string, ScheduleText>,
  { start, end, random, restart, death }: Life,
): Promise<void> {
  world.clock.set(start);
  const first = world.appWith(schedules);
  const hosts: App[] = [await world.onAnotherHost(first), await world.onAnotherHost(first)];
  while (world.clock.now() < new Date(end)) {
    const which = Math.floor(random() * 3);
    if (random() < restart) {
      await world.leave(hosts[which % 2]!);
      hosts[which % 2] = await world.onAnotherHost(first);
    }
    if (random() < death) await dieInRuns(hosts[which % 2]!);
    await Promise.all(hosts.filter((_, index) => which === 2 || which === index).map(runAll));
    world.clock.advance(Math.ceil(random() * LONGEST_STEP_MINUTES * 60_000));
  }
  await runAll(hosts[0]!);
  for (const host of hosts) await world.leave(host);
}

/** Does what sweep and stage do together, one run at a time: all tests of a machine share one server's connections. */
async function runAll(app: App): Promise<void> {
  for (const [name, schedule] of Object.entries(app.settings.schedules))
    if ((await findDueRuns(app, name, schedule)).length > 0) await runSchedule(app, name);
}

/** Begins what is due and leaves it, as a dying process does. */
async function dieInRuns(app: App): Promise<void> {
  for (const [name, schedule] of Object.entries(app.settings.schedules))
    for (const due of await findDueRuns(app, name, schedule))
      await beginRun(app.ledger, name, due, { actor: 'worker:schedule', reason: 'its time has come' });
}

function businessDates({ first, last }: Nights, weekdays: readonly number[], holidays: readonly string[]): string[] {
  return Array.from({ length: 366 }, (_, index) => addDays(first, index)).filter(
    (day) => day <= last && weekdays.includes(new Date(`${day}T00:00:00Z`).getUTCDay()) && !holidays.includes(day),
  );
}

async function movesOf(world: ScheduleWorld, schedule: string, move: string): Promise<string[]> {
  const { rows } = await world.app.ledger.pool.query<{ day: string }>(
    `SELECT evidence->>'day' AS day FROM audit WHERE evidence->>'schedule' = $1 AND move = $2 ORDER BY seq`,
    [schedule, move],
  );
  return rows.map((row) => row.day);
}

async function dueMoments(world: ScheduleWorld, schedule: string): Promise<{ day: string; due: Date }[]> {
  const { rows } = await world.app.ledger.pool.query<{ day: string; due: Date }>(
    'SELECT business_date::text AS day, due_at AS due FROM schedule_run WHERE schedule = $1 ORDER BY due_at',
    [schedule],
  );
  return rows;
}

function local(at: Date, timeZone: string): string {
  return formatInZone(at, timeZone).slice(0, 16);
}

it('dueDates, cut anywhere into looks, gives each date once and leaves none out', { timeout: 180_000 }, () => {
  expectWholeFromLooks({ numRuns: 200 });
});
