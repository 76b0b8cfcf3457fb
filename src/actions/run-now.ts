import type { ScheduleConfig } from '../../schemas/config.ts';
import type { App } from '../app.ts';
import { dueAt } from '../calendar/business-dates.ts';
import { PipelineError } from '../kernel/errors.ts';
import { dayInZone } from '../calendar/zone-time.ts';
import { beginRun, noteTakenAgain, resumeRun, type RunInHand } from '../ledger/schedule/begin-run.ts';
import type { AuditReason } from '../ledger/engine/move.ts';
import { readRun } from '../ledger/schedule/read-runs.ts';
import type { RunRow } from '../ledger/engine/records.ts';
import {
  findDueRuns,
  holdSchedule,
  makeDueRun,
  makeRun,
  scheduleOf,
  takeFolders,
  type TakenDrops,
  windowMs,
} from '../../workers/schedule/schedule.ts';

/**
 * Result of `runNow`.
 * - `made`: today's run was made now, as its row says.
 * - `made before`: nothing was done.
 * - `taken again`: the folders were scanned again, and the run stays as it was.
 * - `busy`: another process is making it right now.
 * - `no business day`: today the schedule does nothing.
 */
export type RanNow =
  | { is: 'made' | 'made before'; day: string; run: RunRow }
  | { is: 'taken again'; day: string; taken: TakenDrops | undefined }
  | { is: 'busy' | 'no business day'; day: string };

/**
 * Makes today's run of a schedule now, if it was not made yet. It is the run of the date: made early, it is not made
 * again when its time comes. Runs that were due before are made first, so that no date is skipped.
 * @param again scans the folders again when the run was already made
 * @throws PipelineError NOT_FOUND, or USAGE for `again` with a schedule that does not take
 */
export async function runNow(
  app: App,
  name: string,
  { because, again = false, stop }: { because: AuditReason; again?: boolean; stop?: AbortSignal },
): Promise<RanNow> {
  const schedule = scheduleOf(app, name);
  if (!schedule) throw unknownSchedule(app, name);
  if (again && schedule.does !== 'take')
    throw new PipelineError('USAGE', `run "${name}" again`, 'a day is closed only once', {
      next: 'Only a schedule that takes files can run again.',
    });
  const day = dayInZone(app.clock.now(), schedule.timeZone);
  const held = await holdSchedule(app, name, async (): Promise<RanNow> => {
    const before = await readRun(app.ledger, name, day);
    for (const due of await findDueRuns(app, name, schedule)) await makeDueRun(app, name, schedule, due, stop);
    if (before?.state !== 'done') return makeToday(app, name, schedule, { day, because, ...(stop && { stop }) });
    if (!again) return { is: 'made before', day, run: before };
    await noteTakenAgain(app.ledger, name, because);
    const until = new Date(app.clock.now().getTime() + windowMs(schedule));
    return { is: 'taken again', day, taken: await takeFolders(app, name, until, stop) };
  });
  return held?.result ?? { is: 'busy', day };
}

export function unknownSchedule({ settings }: Pick<App, 'settings'>, name: string): PipelineError {
  const names = Object.keys(settings.schedules).join(', ');
  return new PipelineError('NOT_FOUND', `use schedule "${name}"`, 'it is not in the configuration', {
    next: names ? `There are: ${names}.` : 'Write it under "schedules".',
  });
}

type Today = { day: string; because: AuditReason; stop?: AbortSignal };

async function makeToday(app: App, name: string, schedule: ScheduleConfig, today: Today): Promise<RanNow> {
  const { day, stop } = today;
  const at = dueAt(schedule, day);
  if (!at) return { is: 'no business day', day };
  const run = await beginToday(app, name, at, today);
  if (run) await makeRun(app, schedule, run, stop);
  const made = await readRun(app.ledger, name, day);
  return made ? { is: 'made', day, run: made } : { is: 'busy', day };
}

/** Returns undefined when today's run is in progress, or the due runs have just finished it. */
async function beginToday(app: App, name: string, at: Date, { day, because }: Today): Promise<RunInHand | undefined> {
  const now = app.clock.now();
  const found = await readRun(app.ledger, name, day);
  switch (found?.state) {
    case undefined:
      return beginRun(app.ledger, name, { day, at: at < now ? at : now }, because);
    case 'missed':
      return resumeRun(app.ledger, found, 'make-up-run', because);
    case 'failed':
      return resumeRun(app.ledger, found, 'retry-run', because);
    case 'running':
    case 'done':
      return undefined;
  }
}
