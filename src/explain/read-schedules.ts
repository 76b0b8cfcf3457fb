import { nextDate } from '../calendar/business-dates.ts';
import type { Folder, Settings } from '../config/config.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { dayInZone, formatInZone, startOfDay } from '../calendar/zone-time.ts';
import { countClaimed, listLateRuns, listTroubledRuns, readLastRun } from '../ledger/schedule/read-runs.ts';
import type { RunRow, RunSummary } from '../ledger/engine/records.ts';
import { expectationOf, expectedFolder, expectedTimes } from '../../workers/schedule/check-expected.ts';
import { counted } from '../kernel/counted.ts';
import type { App } from '../app.ts';

/** A configured schedule: its next run and the outcome of its last. */
export type ScheduleLine = {
  name: string;
  does: string;
  timeZone: string;
  /** Null when no business day follows for years. */
  nextAt: Date | null;
  last: { day: string; state: string; summary: RunSummary } | null;
};

export async function readSchedules(
  ledger: Ledger,
  { schedules }: Pick<Settings, 'schedules'>,
): Promise<ScheduleLine[]> {
  const lines: ScheduleLine[] = [];
  for (const [name, times] of Object.entries(schedules)) {
    const last = await readLastRun(ledger, name, dayInZone(ledger.clock.now(), times.timeZone));
    // Today's run may have been made before its time.
    const next = nextDate(times, ledger.clock.now());
    const isMade = last !== undefined && next?.day === last.business_date;
    const nextAt = isMade && next ? nextDate(times, next.at)?.at : next?.at;
    lines.push({
      name,
      does: times.does,
      timeZone: times.timeZone,
      nextAt: nextAt ?? null,
      last: last ? { day: last.business_date, state: last.state, summary: last.summary } : null,
    });
  }
  return lines;
}

/** Runs that were missed or failed, and expected files that have not arrived yet; none that a user acknowledged. */
export type LateRuns = {
  lateRuns: { schedule: string; day: string; state: string; dueAt: Date; says: string }[];
  /** `schedule` is the name under which the ledger keeps what is expected of the folder. */
  missingFiles: { schedule: string; folder: string; account: string; day: string; by: string }[];
};

/** How far back late runs are shown, in ms; the audit trail has all of them. */
const SHOWN_MS = 7 * 86_400_000;

export async function readLateRuns(
  ledger: Ledger,
  settings: Pick<Settings, 'accounts' | 'folders' | 'schedules'>,
): Promise<LateRuns> {
  const late = await listLateRuns(ledger, new Date(ledger.clock.now().getTime() - SHOWN_MS));
  const lateRuns = late.filter((run) => Object.hasOwn(settings.schedules, run.schedule)).map(toLateRun);
  const missingFiles: LateRuns['missingFiles'] = [];
  for (const folder of settings.folders) {
    const times = expectedTimes(settings, folder);
    if (!times) continue;
    const schedule = expectationOf(folder.id);
    for (const { business_date: day, due_at } of late.filter((run) => run.schedule === schedule)) {
      const from = startOfDay(day, times.timeZone) ?? due_at;
      // A file that arrived late is no longer missing.
      if ((await countClaimed(ledger, [folder.id], from, ledger.clock.now())) > 0) continue;
      missingFiles.push({ schedule, folder: folder.id, account: folder.account, day, by: times.at });
    }
  }
  return { lateRuns, missingFiles };
}

/** A run that was missed or failed, and what a user recorded about it. */
export type TroubledRun = LateRuns['lateRuns'][number] & {
  acknowledgedAt: Date | null;
  acknowledgedBy: string | null;
  acknowledgeReason: string | null;
};

/** Returns the newest runs that were missed or failed, those included that a user acknowledged; at most 200. */
export async function readTroubledRuns(ledger: Ledger): Promise<TroubledRun[]> {
  return (await listTroubledRuns(ledger)).map((run) => ({
    ...toLateRun(run),
    acknowledgedAt: run.acknowledged_at,
    acknowledgedBy: run.acknowledged_by,
    acknowledgeReason: run.acknowledge_reason,
  }));
}

/** Names a run for a person: `schedule nightly, 2026-06-15`. */
export function nameRun({ schedule, business_date: day }: Pick<RunRow, 'schedule' | 'business_date'>): string {
  const folder = expectedFolder(schedule);
  return folder === undefined ? `schedule ${schedule}, ${day}` : `expected file of folder ${folder}, ${day}`;
}

function toLateRun(run: RunRow): LateRuns['lateRuns'][number] {
  const { schedule, business_date: day, state, due_at: dueAt, summary } = run;
  return { schedule, day, state, dueAt, says: summary.says ?? '' };
}

export function isLate({ lateRuns, missingFiles }: LateRuns): boolean {
  return lateRuns.length + missingFiles.length > 0;
}

/** Summarizes a schedule's run in a few words. */
export function describeRun({ says, files, settling, difference }: RunSummary): string {
  const parts = [
    files === undefined ? '' : `${counted(files, 'file')} taken`,
    settling ? `${settling} still being written` : '',
    difference ? `difference ${counted(difference.rows, 'row')}, ${difference.total}` : '',
  ].filter((part) => part !== '');
  return parts.length > 0 ? parts.join(', ') : (says ?? 'no more is known');
}

/** Says in one sentence when a file dropped now will be taken from its folder. */
export function describeTaking({ settings, clock }: Pick<App, 'settings' | 'clock'>, folder: Folder): string {
  const { schedule: name, complete } = folder;
  const schedule = name === undefined ? undefined : settings.schedules[name];
  if (schedule) {
    const next = nextDate(schedule, clock.now());
    if (!next) return `Only the schedule "${name}" takes files from this folder, and it has no days left.`;
    return `The schedule "${name}" takes files from this folder, next at ${formatInZone(next.at, schedule.timeZone)}.`;
  }
  if (complete.by !== 'quiet') return 'It is taken at the next scan of the folder, within seconds.';
  const { quietMs, movedInMs } = complete;
  const sooner = movedInMs === undefined ? '' : `, or for ${sayWholeSeconds(movedInMs)} if it was moved in`;
  return `It is taken after it is unchanged for ${sayWholeSeconds(quietMs)}${sooner}.`;
}

function sayWholeSeconds(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  return seconds === 1 ? 'a second' : `${seconds} seconds`;
}
