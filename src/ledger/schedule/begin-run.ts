import { randomUUID } from 'node:crypto';
import { RUN_MOVES, type RunMove } from '../../../schemas/lifecycle.ts';
import type { DueDate } from '../../calendar/business-dates.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { RUN_COLUMNS } from './read-runs.ts';
import type { RunRow } from '../engine/records.ts';
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
 * Begins a run again that was found in the given row. Of several callers that found the same, one gets it.
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
              tries = tries + 1, summary = '{}'
       WHERE schedule = $1 AND business_date = $2 AND state = $3 AND token IS NOT DISTINCT FROM $7 AND tries = $8
       RETURNING ${RUN_COLUMNS}`,
      [found.schedule, found.business_date, from, tx.at, ledger.instance.id, randomUUID(), found.token, found.tries],
    );
    const evidence = { schedule: found.schedule, day: found.business_date, worker: found.worker };
    if (rows[0]) tx.audit({ ...because, move, from, to: 'running', evidence });
    return rows[0];
  });
}
