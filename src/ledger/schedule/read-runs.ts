import type { Ledger } from '../engine/open-ledger.ts';
import type { RunRow } from '../engine/records.ts';

/** Columns of a run; a date as text, because a business date is a day of a calendar and no moment. */
export const RUN_COLUMNS = `schedule, business_date::text, state, due_at, started_at, finished_at, worker, token, tries, summary`;

/** The run of a business date, whatever became of it. */
export async function readRun(ledger: Ledger, schedule: string, day: string): Promise<RunRow | undefined> {
  const [row] = await ask(ledger, 'schedule = $1 AND business_date = $2', [schedule, day]);
  return row;
}

/**
 * The run of the latest business date up to a day that has one. Dates behind it have nothing yet; those before have all of
 * theirs. Dates that are still to come have one only when a clock was wrong.
 */
export async function readLastRun(ledger: Ledger, schedule: string, day: string): Promise<RunRow | undefined> {
  const upTo = 'schedule = $1 AND business_date <= $2 ORDER BY business_date DESC LIMIT 1';
  const [row] = await ask(ledger, upTo, [schedule, day]);
  return row;
}

/**
 * Runs that were begun and not brought to their end; failed ones only if they were due after `since`. A run that has been due
 * since then may still be made, so a clock that was ahead called it missed.
 */
export function readOpenRuns(ledger: Ledger, schedule: string, since: Date, now: Date): Promise<RunRow[]> {
  const open = `(state = 'running' OR (due_at > $2 AND (state = 'failed' OR (state = 'missed' AND due_at <= $3))))`;
  return ask(ledger, `schedule = $1 AND ${open} ORDER BY business_date`, [schedule, since, now]);
}

/** The last run before a business date that was done. */
export async function readDoneBefore(ledger: Ledger, schedule: string, day: string): Promise<RunRow | undefined> {
  const before = `schedule = $1 AND business_date < $2 AND state = 'done'`;
  const [row] = await ask(ledger, `${before} ORDER BY business_date DESC LIMIT 1`, [schedule, day]);
  return row;
}

/** What was missed or has failed since, the earliest first; at most 200. What is still to come cannot have been missed. */
export function listLateRuns(ledger: Ledger, since: Date): Promise<RunRow[]> {
  const late = `state IN ('missed', 'failed') AND due_at >= $1 AND due_at <= $2`;
  return ask(ledger, `${late} ORDER BY due_at, schedule LIMIT 200`, [since, ledger.clock.now()]);
}

/** What was missed of these schedules from one moment to another, the earliest first. */
export function listMissed(ledger: Ledger, schedules: readonly string[], from: Date, until: Date): Promise<RunRow[]> {
  const missed = `schedule = ANY ($1) AND state = 'missed' AND due_at >= $2 AND due_at < $3`;
  return ask(ledger, `${missed} ORDER BY due_at, schedule`, [schedules, from, until]);
}

async function ask(ledger: Ledger, where: string, values: unknown[]): Promise<RunRow[]> {
  return (await ledger.pool.query<RunRow>(`SELECT ${RUN_COLUMNS} FROM schedule_run WHERE ${where}`, values)).rows;
}
