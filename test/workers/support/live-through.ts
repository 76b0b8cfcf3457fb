import { expect } from 'vitest';
import type { App } from '../../../src/app.ts';
import { addDays } from '../../../src/calendar/calendar.ts';
import { formatInZone } from '../../../src/calendar/zone-time.ts';
import { beginRun } from '../../../src/ledger/schedule/begin-run.ts';
import { findDueRuns, runSchedule } from '../../../workers/schedule/schedule.ts';
import { seededRandom } from '../../support/random.ts';
import type { ScheduleText, ScheduleWorld } from './schedule-world.ts';

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
export type Nights = { first: string; last: string };

/** Chances that a host restarts or dies, for each step of time. */
export type Troubles = { restart: number; death: number };

let lives = 0;

/**
 * Plays these nights and checks that each business date has one finished run, and that there is no other.
 * @returns how many runs had to begin again
 */
export async function expectOneRunEach(
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
    world.logged.slice(logged).filter((line) => line.level >= 50),
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
    if ((await findDueRuns(app, name, schedule)).length > 0) await runSchedule(app, { schedule: name });
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
