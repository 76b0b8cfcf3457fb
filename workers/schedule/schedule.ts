import { dueNames } from '../../src/ledger/batch/due-work.ts';
import { setTimeout as wait } from 'node:timers/promises';
import type { ScheduleConfig } from '../../schemas/config.ts';
import { eachAlone, type Stage } from '../stage.ts';
import type { App } from '../../src/app.ts';
import { PipelineError, reasonOf } from '../../src/kernel/errors.ts';
import {
  beginRun,
  finishRun,
  missRun,
  resumeRun,
  type RunInHand,
  seeSchedule,
} from '../../src/ledger/schedule/begin-run.ts';
import type { RunRow, RunSummary } from '../../src/ledger/engine/records.ts';
import { endFailure, type WorkItem } from '../../src/ledger/alarm/note-failure.ts';
import { tryLock } from '../../src/ledger/engine/with-lock.ts';
import { noteThrown } from '../note-failures.ts';
import { closeDay } from './close-day.ts';
import { createFolderScanner } from '../../src/files/scan-folder.ts';
import { countClaimed, readLastRun, readOpenRuns } from '../../src/ledger/schedule/read-runs.ts';
import { lookAtFolder, probeMs } from '../watch/watch.ts';
import { type DueDate, dueDates } from '../../src/calendar/business-dates.ts';
import { dayInZone } from '../../src/calendar/zone-time.ts';
import { schedulesHere } from '../../src/config/schedules-here.ts';
import { boundOf } from '../../src/ledger/merchant/bound-accounts.ts';

/** Makes the due runs of schedules. */
export const SCHEDULE: Stage<{ schedule: string }> = {
  name: 'schedule',
  most: { things: 1, weight: 1 },
  findDue: async (app) => {
    const due: string[] = [];
    for (const [name, schedule] of schedulesHere(app.settings))
      if ((await findDueRuns(app, name, schedule)).length > 0) due.push(name);
    return dueNames(due);
  },
  thingOf: (schedule) => ({ schedule }),
  notesItself: true,
  itemOf: ({ schedule }) => itemOf(schedule),
  work: eachAlone((app, { schedule }, stop) => runSchedule(app, schedule, stop)),
};

/**
 * Makes the due runs of a schedule, one for each business date, however often it is called. The caller that gets the
 * schedule's lock makes them all; another returns at once.
 * @param stop leaves an unfinished run to the next start
 */
export async function runSchedule(app: App, name: string, stop?: AbortSignal): Promise<void> {
  const schedule = scheduleOf(app, name);
  if (!schedule) return;
  try {
    await holdSchedule(app, name, async () => {
      for (const due of await findDueRuns(app, name, schedule)) {
        if (!stop?.aborted) await makeDueRun(app, name, schedule, due, stop);
      }
    });
  } catch (error) {
    await noteThrown(app, itemOf(name), error);
    throw error;
  }
}

function itemOf(schedule: string): WorkItem {
  return { work: 'schedule', subject: schedule };
}

/** Returns undefined when it has left the configuration. */
export function scheduleOf({ settings }: Pick<App, 'settings'>, name: string): ScheduleConfig | undefined {
  return Object.hasOwn(settings.schedules, name) ? settings.schedules[name] : undefined;
}

/** @returns undefined when another caller is making runs of the schedule */
export function holdSchedule<Result>(
  app: App,
  name: string,
  work: () => Promise<Result>,
): Promise<{ result: Result } | undefined> {
  return tryLock(app.ledger, `schedule:${name}`, work);
}

/** Makes a due run, or records that it is too late. */
export async function makeDueRun(
  app: App,
  name: string,
  schedule: ScheduleConfig,
  due: DueRun,
  stop?: AbortSignal,
): Promise<void> {
  if (app.clock.now().getTime() > due.at.getTime() + windowMs(schedule)) return giveUp(app, name, due);
  const run = due.found ? await takeUp(app, due.found) : await beginRun(app.ledger, name, due, BECAUSE.due);
  if (run) await makeRun(app, schedule, run, stop);
}

const actor = 'worker:schedule';
const BECAUSE = {
  due: { actor, reason: 'its time has come' },
  missed: { actor, reason: 'paydrop was not running at its time' },
  dead: { actor, reason: 'its worker died' },
  deadTooLong: { actor, reason: 'its worker died, and its time is over' },
  tooSoon: { actor, reason: 'it was marked as missed by a clock that was ahead' },
  again: { actor, reason: 'tried again' },
};

async function giveUp(app: App, name: string, { found, ...due }: DueRun): Promise<void> {
  const isNew = found
    ? await finishRun(app.ledger, found, 'failed', BECAUSE.deadTooLong)
    : await missRun(app.ledger, name, due, BECAUSE.missed);
  const about = { schedule: name, day: due.day };
  if (isNew) app.log.error(about, `a run was missed: ${(found ? BECAUSE.deadTooLong : BECAUSE.missed).reason}`);
}

function takeUp(app: App, found: RunRow): Promise<RunInHand | undefined> {
  if (found.state === 'failed') return resumeRun(app.ledger, found, 'retry-run', BECAUSE.again);
  if (found.state === 'missed') return resumeRun(app.ledger, found, 'make-up-run', BECAUSE.tooSoon);
  return resumeRun(app.ledger, found, 'take-over-run', BECAUSE.dead);
}

/** Does the work of the schedule and finishes the run. */
export async function makeRun(app: App, schedule: ScheduleConfig, run: RunInHand, stop?: AbortSignal): Promise<void> {
  const about = { schedule: run.schedule, day: run.business_date };
  try {
    const summary = await doWork(app, schedule, run, stop);
    // A stop broke it off; the worker that takes it over begins again.
    if (!summary) return;
    // Ends the failure whichever process recorded it: this process may be a command.
    await endFailure(app.ledger, itemOf(run.schedule));
    if (await finishRun(app.ledger, run, 'done', { actor, reason: 'made' }, summary))
      app.log.info({ ...about, ...summary }, 'run of a schedule done');
  } catch (error) {
    const reason = error instanceof PipelineError ? error.message : 'an unexpected error occurred';
    app.log.error({ ...about, code: error instanceof PipelineError ? error.code : 'INTERNAL' }, reasonOf(error));
    await finishRun(app.ledger, run, 'failed', { actor, reason });
    await noteThrown(app, itemOf(run.schedule), error, RETRY_MS);
  }
}

async function doWork(
  app: App,
  schedule: ScheduleConfig,
  run: RunInHand,
  stop?: AbortSignal,
): Promise<RunSummary | undefined> {
  switch (schedule.does) {
    case 'take':
      return takeFolders(
        app,
        run.schedule,
        new Date((run.started_at ?? run.due_at).getTime() + windowMs(schedule)),
        stop,
      );
    case 'day-close':
      return closeDay(app, schedule, run);
  }
}

/** Files taken, and drops that were still being written when the time was over. */
export type TakenDrops = { files: number; settling: number };

/**
 * Takes what lies in the folders of a schedule, scanning until nothing settles any more. Doing it twice is harmless:
 * one rename claims a drop.
 * @param until no further wait for settling drops begins after this moment
 * @returns undefined when it was stopped while something settled
 */
export async function takeFolders(
  app: App,
  schedule: string,
  until: Date,
  stop?: AbortSignal,
): Promise<TakenDrops | undefined> {
  const folders = app.settings.folders.filter((folder) => folder.schedule === schedule);
  // Its drops stay where they are, and the run must not say that none came.
  for (const { account } of folders) boundOf(app.ledger, account);
  const scanners = folders.map((folder) => ({ folder, scanner: createFolderScanner(folder, app.clock) }));
  const begun = app.clock.now();
  let settling = 0;
  do {
    if (settling > 0) await pause(probeMs(folders, app.settings.rescanMs), stop);
    settling = 0;
    for (const { folder, scanner } of scanners) settling += await lookAtFolder(app, folder, scanner, { stop });
  } while (settling > 0 && !stop?.aborted && app.clock.now() < until);
  if (settling > 0 && stop?.aborted) return undefined;
  const ids = folders.map((folder) => folder.id);
  return { files: await countClaimed(app.ledger, ids, begun, app.clock.now()), settling };
}

async function pause(ms: number, stop?: AbortSignal): Promise<void> {
  await wait(ms, undefined, stop && { signal: stop }).catch(() => {});
}

/** A business date that is due; `found` when its run was begun and not finished. */
type DueRun = DueDate & { readonly found?: RunRow };

/** Wait before a failed run is retried, in ms. */
const RETRY_MS = 300_000;

/**
 * Returns what a schedule has to do now, the earliest first. Runs found `running` count too: the caller holds the
 * schedule's lock, so their worker is gone.
 */
export async function findDueRuns(app: App, name: string, schedule: ScheduleConfig): Promise<DueRun[]> {
  const now = app.clock.now();
  const since = await seeSchedule(app.ledger, name, JSON.stringify(schedule), windowMs(schedule));
  const last = await readLastRun(app.ledger, name, dayInZone(now, schedule.timeZone));
  const open = last ? await readOpenRuns(app.ledger, name, new Date(now.getTime() - windowMs(schedule)), now) : [];
  return [
    ...open
      .filter((run) => run.state !== 'failed' || waitedMs(run, now) >= RETRY_MS)
      .map((found) => ({ day: found.business_date, at: found.due_at, found })),
    ...dueDates(schedule, since, now, last?.business_date),
  ];
}

/** Counts the runs of this site's schedules that are due or in progress, without failed ones. */
export async function countDueRuns(app: App): Promise<number> {
  let count = 0;
  for (const [name, schedule] of schedulesHere(app.settings)) {
    const due = await findDueRuns(app, name, schedule);
    count += due.filter(({ found }) => found?.state !== 'failed').length;
  }
  return count;
}

/** Returns the time since the failure as an absolute value: a clock set back before it says nothing about the wait. */
function waitedMs(run: RunRow, now: Date): number {
  return Math.abs(now.getTime() - (run.finished_at?.getTime() ?? 0));
}

/** Returns how long after its time a run may still be made, in ms. */
export function windowMs({ windowMinutes }: Pick<ScheduleConfig, 'windowMinutes'>): number {
  return windowMinutes * 60_000;
}
