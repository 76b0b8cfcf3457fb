import { randomUUID } from 'node:crypto';
import { RUN_MOVES, type RunMove } from '../../../schemas/lifecycle.ts';
import type { DueDate } from '../../calendar/business-dates.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { RUN_COLUMNS } from './read-runs.ts';
import type { RunRow, RunSummary } from '../engine/records.ts';
import { transact } from '../engine/transaction.ts';
import type { AuditReason } from '../engine/move.ts';

/** A run held by this worker. Only the holder of the token may finish it. */
export type RunInHand = RunRow & { token: string };

/**
 * Makes the move `begin-run`, the gate: of all callers, in any process and at any time, one begins the run of a
 * business date. `seeSchedule` must have run before.
 * @returns undefined when the date already has its run, in any state
 */
export async function beginRun(
  ledger: Ledger,
  schedule: string,
  { day, at }: DueDate,
  because: AuditReason,
): Promise<RunInHand | undefined> {
  return transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<RunInHand>(
      `INSERT INTO schedule_run (schedule, business_date, state, due_at, started_at, worker, token, tries)
       VALUES ($1, $2, 'running', $3, $4, $5, $6, 1) ON CONFLICT DO NOTHING RETURNING ${RUN_COLUMNS}`,
      [schedule, day, at, tx.at, ledger.instance.id, randomUUID()],
    );
    if (rows[0]) tx.audit({ ...because, move: 'begin-run', to: 'running', evidence: { schedule, day } });
    return rows[0];
  });
}

/** Moves that begin a run again. Taking over is not a move: the run stays `running` with another worker. */
export type Resumption = Extract<RunMove, 'retry-run' | 'make-up-run'> | 'take-over-run';

/**
 * Begins a run again that was found in the given row. Of several callers that found the same, one gets it. What a user
 * acknowledged was the earlier try: if this one fails, it needs attention again.
 * @returns undefined when it is no longer as found
 */
export async function resumeRun(
  ledger: Ledger,
  found: RunRow,
  move: Resumption,
  because: AuditReason,
): Promise<RunInHand | undefined> {
  const from = RUN_MOVES.find((row) => row.name === move)?.from ?? 'running';
  return transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<RunInHand>(
      `UPDATE schedule_run SET state = 'running', started_at = $4, finished_at = NULL, worker = $5, token = $6,
              tries = tries + 1, summary = '{}',
              acknowledged_at = NULL, acknowledged_by = NULL, acknowledge_reason = NULL
       WHERE schedule = $1 AND business_date = $2 AND state = $3 AND token IS NOT DISTINCT FROM $7 AND tries = $8
       RETURNING ${RUN_COLUMNS}`,
      [found.schedule, found.business_date, from, tx.at, ledger.instance.id, randomUUID(), found.token, found.tries],
    );
    const evidence = { schedule: found.schedule, day: found.business_date, worker: found.worker };
    if (rows[0]) tx.audit({ ...because, move, from, to: 'running', evidence });
    return rows[0];
  });
}

/**
 * Makes the move `finish-run` or `fail-run`: ends a run with its summary.
 * @returns false when another worker holds it by now; then nothing was written
 */
export async function finishRun(
  ledger: Ledger,
  run: RunRow,
  state: 'done' | 'failed',
  because: AuditReason,
  summary: Omit<RunSummary, 'says'> = {},
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      `UPDATE schedule_run SET state = $4, finished_at = $5, token = NULL, summary = $6
       WHERE schedule = $1 AND business_date = $2 AND state = 'running' AND token = $3`,
      [run.schedule, run.business_date, run.token, state, tx.at, { ...summary, says: because.reason }],
    );
    if (!rowCount) return false;
    tx.audit({
      ...because,
      move: state === 'done' ? 'finish-run' : 'fail-run',
      from: 'running',
      to: state,
      evidence: { ...because.evidence, ...summary, schedule: run.schedule, day: run.business_date },
    });
    return true;
  });
}

/**
 * Makes the move `miss-run`: what was due on a business date did not happen. It is written once, so the caller that
 * gets `true` reports it.
 * @returns false when the date already has a row
 */
export async function missRun(
  ledger: Ledger,
  schedule: string,
  { day, at }: DueDate,
  because: AuditReason,
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      `INSERT INTO schedule_run (schedule, business_date, state, due_at, finished_at, summary)
       VALUES ($1, $2, 'missed', $3, $4, $5) ON CONFLICT DO NOTHING`,
      [schedule, day, at, tx.at, { says: because.reason }],
    );
    if (!rowCount) return false;
    tx.audit({ ...because, move: 'miss-run', to: 'missed', evidence: { schedule, day } });
    return true;
  });
}

/** How much the clocks of several hosts may differ, in ms. */
const AHEAD_MS = 3_600_000;

/**
 * Deletes misses that lie in the future. A clock that was ahead recorded them, and the date would never get its run.
 * The audit trail keeps the record.
 */
export async function forgetEarlyMisses(ledger: Ledger, schedule: string): Promise<void> {
  await ledger.pool.query(`DELETE FROM schedule_run WHERE schedule = $1 AND state = 'missed' AND due_at > $2`, [
    schedule,
    new Date(ledger.clock.now().getTime() + AHEAD_MS),
  ]);
}

/**
 * Records a schedule with its settings. A new one has nothing to catch up on. One whose times changed catches up only
 * on what may still be made. So days on which it never ran do not count as missed. A time from a clock that was ahead
 * is corrected; otherwise nothing would be due until then.
 * @param rules its settings as text, for comparison
 * @param windowMs how long a run may still be made
 * @returns since when its runs are due
 */
export async function seeSchedule(ledger: Ledger, name: string, rules: string, windowMs: number): Promise<Date> {
  const now = ledger.clock.now();
  const { rows: known } = await ledger.pool.query<{ since: Date }>(
    'SELECT since FROM schedule WHERE name = $1 AND rules = $2',
    [name, rules],
  );
  if (known[0] && known[0].since <= now) return known[0].since;
  const { rows } = await ledger.pool.query<{ since: Date }>(
    `INSERT INTO schedule (name, rules, since) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE
     SET rules = $2, since = CASE WHEN schedule.since > $3 THEN $3 ELSE greatest(schedule.since, $4) END RETURNING since`,
    [name, rules, now, new Date(now.getTime() - windowMs)],
  );
  return rows[0]!.since;
}

/** Records that a user had a schedule's folders scanned again. It is not a move: the run of the date stays as it is. */
export async function noteTakenAgain(ledger: Ledger, schedule: string, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    tx.audit({ ...because, move: 'take-again', evidence: { ...because.evidence, schedule } });
  });
}
