import type { ScheduleConfig } from '../../schemas/config.ts';
import type { App } from '../../src/app.ts';
import { type DueDate, dueDates } from '../../src/calendar/business-dates.ts';
import { dayInZone } from '../../src/calendar/zone-time.ts';
import { schedulesHere } from '../../src/config/schedules-here.ts';
import { seeSchedule } from '../../src/ledger/schedule/begin-run.ts';
import { readLastRun, readOpenRuns } from '../../src/ledger/schedule/read-runs.ts';
import type { RunRow } from '../../src/ledger/engine/records.ts';

/** A business date that is due; `found` when its run was begun and not finished. */
export type DueRun = DueDate & { readonly found?: RunRow };

/** Wait before a failed run is retried, in ms. */
export const RETRY_MS = 300_000;

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
