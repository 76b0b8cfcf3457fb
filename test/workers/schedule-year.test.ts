import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import { addDays } from '../../src/kernel/calendar.ts';
import { formatInZone } from '../../src/kernel/zone-time.ts';
import { beginRun } from '../../src/ledger/moves/begin-run.ts';
import { findDueRuns } from '../../workers/schedule/due-runs.ts';
import { runSchedule } from '../../workers/schedule.ts';
import { seededRandom } from '../support/random.ts';
import { openScheduleWorld, type ScheduleText, type ScheduleWorld } from './support/schedule-world.ts';

/**
 * A year of nights in three zones (F63): time goes in irregular steps, two hosts look at the same moment or one of them
 * does, hosts are started anew, and some die in the middle of a run.
 */

const ZONES = ['America/Toronto', 'Europe/London', 'Australia/Sydney'] as const;
/** In each zone one of the first two comes twice in a night of autumn and is left out in one of spring. */
const TIMES = ['02:30', '01:30', '22:00'] as const;
const HOLIDAYS = ['2025-12-31', '2026-01-01', '2026-04-03', '2026-07-01', '2026-12-25', '2027-01-01', '2027-01-02'];
const WINDOW_MINUTES = 1_440;
const LONGEST_STEP_MINUTES = 1_400;
/** Sundays take part where clocks change, since they do so then. */
const DAYS = { '02:30': [0, 2, 4], '01:30': [0, 1, 5], '22:00': [1, 2, 3, 4, 5] } as const;
const NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

const SCHEDULES: Record<string, ScheduleText> = Object.fromEntries(
  ZONES.flatMap((timeZone, zone) =>
    TIMES.map((at) => {
      const days = DAYS[at].map((day) => NAMES[day]);
      const times = { at, timeZone, days, holidays: HOLIDAYS, windowMinutes: WINDOW_MINUTES };
      return [`zone-${zone}-${at.replace(':', '')}`, { does: 'take' as const, ...times }];
    }),
  ),
);

let world: ScheduleWorld;
beforeAll(async () => {
  world = await openScheduleWorld();
});
afterAll(() => world.close());

describe('a year of schedules', () => {
  it('has one run for each business date, done, and no other', { timeout: 120_000 }, async () => {
    await liveThrough('2025-12-31T12:00:00Z', '2027-01-01T12:00:00Z', seededRandom(20_260_101));
    expect(world.logged.filter((line) => line.level >= 50)).toEqual([]);
    for (const [name, { at, timeZone = 'UTC' }] of Object.entries(SCHEDULES)) {
      const dates = businessDates(DAYS[at as keyof typeof DAYS]);
      const runs = await world.runs(name);
      expect(runs.map(({ day, state }) => `${day} ${state}`)).toEqual(dates.map((day) => `${day} done`));
      expect(await movesOf(name, 'finish-run')).toEqual(dates);
      expect(await movesOf(name, 'begin-run')).toEqual(dates);
      const odd = (await dueMoments(name)).filter(({ day, due }) => local(due, timeZone) !== `${day} ${at}`);
      expect({ name, odd: odd.map(({ due }) => local(due, timeZone)) }).toEqual({
        name,
        odd: GAPS[`${timeZone} ${at}`] ?? [],
      });
    }
    const taken = await world.app.ledger.pool.query(`SELECT 1 FROM schedule_run WHERE tries > 1`);
    expect(taken.rowCount).toBeGreaterThan(20);
  });
});

/** Nights in which the time is left out: the first moment behind it. */
const GAPS: Record<string, string[]> = {
  'America/Toronto 02:30': ['2026-03-08 03:00'],
  'Europe/London 01:30': ['2026-03-29 02:00'],
  'Australia/Sydney 02:30': ['2026-10-04 03:00'],
};

async function liveThrough(start: string, end: string, random: () => number): Promise<void> {
  world.clock.set(start);
  const first = world.appWith(SCHEDULES);
  const hosts: App[] = [await world.onAnotherHost(first), await world.onAnotherHost(first)];
  while (world.clock.now() < new Date(end)) {
    const which = Math.floor(random() * 3);
    if (random() < 0.02) {
      await world.leave(hosts[which % 2]!);
      hosts[which % 2] = await world.onAnotherHost(first);
    }
    if (random() < 0.05) await dieInRuns(hosts[which % 2]!);
    await Promise.all(hosts.filter((_, index) => which === 2 || which === index).map(runAll));
    world.clock.advance(Math.ceil(random() * LONGEST_STEP_MINUTES * 60_000));
  }
  await runAll(hosts[0]!);
}

/**
 * As the sweep and the station do it together. One after the other, because all tests of a machine share the connections
 * of one server.
 */
async function runAll(app: App): Promise<void> {
  for (const [name, schedule] of Object.entries(app.settings.schedules))
    if ((await findDueRuns(app, name, schedule)).length > 0) await runSchedule(app, { schedule: name });
}

/** As a process leaves it that dies right after it has begun what is due. */
async function dieInRuns(app: App): Promise<void> {
  for (const [name, schedule] of Object.entries(app.settings.schedules))
    for (const due of await findDueRuns(app, name, schedule))
      await beginRun(app.ledger, name, due, { actor: 'worker:schedule', reason: 'its time has come' });
}

function businessDates(weekdays: readonly number[]): string[] {
  return Array.from({ length: 365 }, (_, index) => addDays('2026-01-01', index)).filter(
    (day) => weekdays.includes(new Date(`${day}T00:00:00Z`).getUTCDay()) && !HOLIDAYS.includes(day),
  );
}

async function movesOf(schedule: string, move: string): Promise<string[]> {
  const { rows } = await world.app.ledger.pool.query<{ day: string }>(
    `SELECT evidence->>'day' AS day FROM audit WHERE evidence->>'schedule' = $1 AND move = $2 ORDER BY seq`,
    [schedule, move],
  );
  return rows.map((row) => row.day);
}

async function dueMoments(schedule: string): Promise<{ day: string; due: Date }[]> {
  const { rows } = await world.app.ledger.pool.query<{ day: string; due: Date }>(
    'SELECT business_date::text AS day, due_at AS due FROM schedule_run WHERE schedule = $1 ORDER BY due_at',
    [schedule],
  );
  return rows;
}

function local(at: Date, timeZone: string): string {
  return formatInZone(at, timeZone).slice(0, 16);
}
