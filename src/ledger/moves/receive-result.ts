import { PipelineError } from '../../kernel/errors.ts';
import type { ReconciledRow } from '../../kernel/rows.ts';
import { copyOutcomes } from '../copy-rows.ts';
import type { Ledger } from '../open-ledger.ts';
import type { BatchRow } from '../records.ts';
import { type Transaction, transact } from '../transaction.ts';
import { type BatchKey, moveBatch } from './move.ts';

/** Move `receive`: the result file as the service gave it, sealed. Repeating it after a crash changes nothing. */
export async function receiveResult(
  ledger: Ledger,
  key: BatchKey,
  result: { sealed: Buffer; sha256: string; rows: number },
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const row = await moveBatch(
      tx,
      'receive',
      key,
      {
        actor: 'worker:poll',
        reason: 'the result file is here',
        evidence: { sha256: result.sha256, rows: result.rows },
      },
      { set: { result_at: tx.at, result_sha256: result.sha256, next_poll_at: null } },
    );
    if (!row) return false;
    // A batch whose first result turned out to be another batch's has one already; the audit trail keeps its hash.
    await tx.client.query(
      `INSERT INTO sealed_part (file_id, batch_no, part, bytes) VALUES ($1, $2, 'result', $3)
       ON CONFLICT (file_id, batch_no, part) DO UPDATE SET bytes = excluded.bytes`,
      [key.fileId, key.batchNo, result.sealed],
    );
    return true;
  });
}

/**
 * Move `reconcile`: one outcome per row, written once, together with the new state.
 * @throws PipelineError MOVE_REFUSED when the outcomes are not those of exactly the batch's rows: a row without one would
 *   pass for never sent, and be sent again
 */
export async function reconcileBatch(
  ledger: Ledger,
  key: BatchKey,
  fileNo: number,
  rows: readonly ReconciledRow[],
  evidence: Record<string, unknown>,
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const row = await moveBatch(tx, 'reconcile', key, {
      actor: 'worker:poll',
      reason: 'every row matched and counts and cents conserve',
      evidence,
    });
    if (!row) return false;
    await copyOutcomes(tx, fileNo, rows);
    await checkConservation(tx, fileNo, row, rows.length);
    return true;
  });
}

async function checkConservation(tx: Transaction, fileNo: number, batch: BatchRow, written: number): Promise<void> {
  const { rows } = await tx.client.query<{ rows: number; cents: number }>(
    `SELECT count(*) AS rows, coalesce(sum(r.amount_cents), 0)::bigint AS cents
     FROM payment_row r JOIN row_outcome USING (file_no, line) WHERE r.file_no = $1 AND r.batch_no = $2`,
    [fileNo, batch.batch_no],
  );
  const [found] = rows;
  if (found?.rows === batch.rows && found.cents === batch.cents && written === batch.rows) return;
  const action = `reconcile batch ${batch.batch_no} of file "${batch.file_id}"`;
  throw new PipelineError('MOVE_REFUSED', action, 'the outcomes are not those of its rows');
}

/** Move `except`: the rows of the result are not the rows that were sent. A person has to look. */
export async function exceptBatch(
  ledger: Ledger,
  key: BatchKey,
  reason: string,
  evidence: Record<string, unknown>,
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const row = await moveBatch(tx, 'except', key, { actor: 'worker:poll', reason, evidence });
    return row !== undefined;
  });
}

/** Not done yet: remembers when to ask again. Not a move, the state stays. @returns the batch, if it still waits */
export async function schedulePoll(ledger: Ledger, key: BatchKey, delayMs: number): Promise<BatchRow | undefined> {
  const at = new Date(ledger.clock.now().getTime() + delayMs);
  const { rows } = await ledger.pool.query<BatchRow>(
    `UPDATE batch SET polls = polls + 1, next_poll_at = $3
     WHERE file_id = $1 AND batch_no = $2 AND state = 'submitted' RETURNING *`,
    [key.fileId, key.batchNo, at],
  );
  return rows[0];
}
