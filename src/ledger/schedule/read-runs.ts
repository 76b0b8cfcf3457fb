import { PipelineError } from '../../kernel/errors.ts';
import { startOfDay } from '../../calendar/zone-time.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { RunRow } from '../engine/records.ts';

/** Columns of a run; the date is text, because a business date is a calendar day, not a moment. */
export const RUN_COLUMNS = `schedule, business_date::text, state, due_at, started_at, finished_at, worker, token, tries, summary,
  acknowledged_at, acknowledged_by, acknowledge_reason`;

/** Runs that did not do their work. */
const IS_TROUBLED = `state IN ('missed', 'failed')`;

/** Runs that did not do their work and still need attention; alarms and lists of open work show no others. */
export const IS_OPEN_RUN = `${IS_TROUBLED} AND acknowledged_at IS NULL`;

/** Returns the run of a business date, in any state. */
export async function readRun(ledger: Ledger, schedule: string, day: string): Promise<RunRow | undefined> {
  const [row] = await ask(ledger, 'schedule = $1 AND business_date = $2', [schedule, day]);
  return row;
}

/**
 * Returns the run that a user names.
 * @throws PipelineError NOT_FOUND when the date has none
 */
export async function findRun(ledger: Ledger, schedule: string, day: string): Promise<RunRow> {
  const run = startOfDay(day, 'UTC') && (await readRun(ledger, schedule, day));
  if (run) return run;
  throw new PipelineError('NOT_FOUND', `find the run of "${schedule}" for "${day}"`, 'there is none', {
    next: 'Write the date as 2026-06-15. "paydrop schedule list --all" lists the runs that were missed or failed.',
  });
}

/**
 * Returns the run of the latest business date up to `day` that has one. Later dates have none yet; earlier ones have
 * all theirs. A future date has one only if a clock was wrong.
 */
export async function readLastRun(ledger: Ledger, schedule: string, day: string): Promise<RunRow | undefined> {
  const upTo = 'schedule = $1 AND business_date <= $2 ORDER BY business_date DESC LIMIT 1';
  const [row] = await ask(ledger, upTo, [schedule, day]);
  return row;
}

/**
 * Returns runs that were begun but not finished; failed ones only if due after `since`. It includes missed runs due
 * since then: they can still be made, so a clock that was ahead called them missed.
 */
export function readOpenRuns(ledger: Ledger, schedule: string, since: Date, now: Date): Promise<RunRow[]> {
  const open = `(state = 'running' OR (due_at > $2 AND (state = 'failed' OR (state = 'missed' AND due_at <= $3))))`;
  return ask(ledger, `schedule = $1 AND ${open} ORDER BY business_date`, [schedule, since, now]);
}

/** Returns the last `done` run before a business date. */
export async function readDoneBefore(ledger: Ledger, schedule: string, day: string): Promise<RunRow | undefined> {
  const before = `schedule = $1 AND business_date < $2 AND state = 'done'`;
  const [row] = await ask(ledger, `${before} ORDER BY business_date DESC LIMIT 1`, [schedule, day]);
  return row;
}

/**
 * Returns runs missed or failed since a moment that no user has acknowledged, earliest first; at most 200. Future ones
 * cannot have been missed.
 */
export function listLateRuns(ledger: Ledger, since: Date): Promise<RunRow[]> {
  const late = `${IS_OPEN_RUN} AND due_at >= $1 AND due_at <= $2`;
  return ask(ledger, `${late} ORDER BY due_at, schedule LIMIT 200`, [since, ledger.clock.now()]);
}

/** Returns the newest runs that were missed or failed, whether acknowledged or not; at most 200. */
export function listTroubledRuns(ledger: Ledger): Promise<RunRow[]> {
  return ask(ledger, `${IS_TROUBLED} AND due_at <= $1 ORDER BY due_at DESC, schedule LIMIT 200`, [ledger.clock.now()]);
}

/** Returns the missed runs of these schedules due from one moment to another, earliest first. */
export function listMissed(ledger: Ledger, schedules: readonly string[], from: Date, until: Date): Promise<RunRow[]> {
  const missed = `schedule = ANY ($1) AND state = 'missed' AND due_at >= $2 AND due_at < $3`;
  return ask(ledger, `${missed} ORDER BY due_at, schedule`, [schedules, from, until]);
}

async function ask(ledger: Ledger, where: string, values: unknown[]): Promise<RunRow[]> {
  return (await ledger.pool.query<RunRow>(`SELECT ${RUN_COLUMNS} FROM schedule_run WHERE ${where}`, values)).rows;
}

/**
 * Counts the files taken from these folders between two moments, both included.
 * @param folders their ids
 */
export async function countClaimed(
  ledger: Ledger,
  folders: readonly string[],
  from: Date,
  until: Date,
): Promise<number> {
  const { rows } = await ledger.pool.query<{ files: number }>(
    'SELECT count(*) AS files FROM file WHERE folder = ANY ($1) AND claimed_at >= $2 AND claimed_at <= $3',
    [folders, from, until],
  );
  return rows[0]!.files;
}
