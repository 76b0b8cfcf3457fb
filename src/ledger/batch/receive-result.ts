import { crashPoint } from '../../kernel/crash-point.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { copyOutcomes, type RowOutcomes } from '../row/copy-rows.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';
import { transact, type Transaction } from '../engine/transaction.ts';
import { type BatchKey, moveBatch, type Sql } from '../engine/move.ts';
import type { ReconciledRow } from '../../rows/rows.ts';

/**
 * Move `receive`: keeps the result file as the service returned it, sealed. Repeating it after a crash changes nothing.
 * No conclusion reaches the disk before it; a result lost in a power cut is fetched again.
 * @returns the batch after the move, or undefined when it did not wait for a result
 */
export async function receiveResult(
  ledger: Ledger,
  key: BatchKey,
  result: { sealed: Buffer; sha256: string; rows: number },
): Promise<BatchRow | undefined> {
  const keep = (tx: Transaction) =>
    moveBatch(
      tx,
      'receive',
      key,
      {
        actor: 'worker:poll',
        reason: 'the result file is here',
        evidence: { sha256: result.sha256, rows: result.rows },
      },
      {
        set: {
          result_at: tx.at,
          result_sha256: result.sha256,
          next_poll_at: null,
          stale_since: null,
          poll_alarm: null,
        },
        also: keeping(result.sealed),
      },
    );
  return transact(ledger, keep, { isFollowed: true });
}

/**
 * Returns the statement that keeps the result together with its move. A batch whose first result did not fit, or
 * belonged to another batch, already has one. The audit trail keeps its hash.
 */
function keeping(sealed: Buffer): Sql {
  return { sql: keepSealed('$1'), values: [sealed] };
}

/** @param sealed SQL value of the bytes, for each batch in `moved` */
function keepSealed(sealed: string): string {
  return `INSERT INTO sealed_part (file_id, batch_no, part, bytes)
    SELECT file_id, batch_no, 'result', ${sealed}::bytea FROM moved
    ON CONFLICT (file_id, batch_no, part) DO UPDATE SET bytes = excluded.bytes`;
}

/**
 * Move `reconcile`: writes one outcome per row, once, together with the new state.
 * @param nextRecheckAt when the result is fetched again, because outcomes may change late
 * @throws PipelineError MOVE_REFUSED when the outcomes do not match the batch's rows exactly: a row without one would
 *   count as never sent, and be sent again
 */
export async function reconcileBatch(
  ledger: Ledger,
  key: BatchKey,
  fileNo: number,
  outcomes: RowOutcomes,
  evidence: Record<string, unknown>,
  nextRecheckAt: Date | null = null,
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const because = { actor: 'worker:poll', reason: 'every row matched and counts and cents conserve', evidence };
    const row = await moveBatch(tx, 'reconcile', key, because, { set: { next_recheck_at: nextRecheckAt } });
    if (!row) return false;
    await writeOutcomes(tx, fileNo, row, outcomes);
    return true;
  });
}

/**
 * Writes the outcomes of a batch, inside the transaction of the move that ends it.
 * @throws PipelineError MOVE_REFUSED when they do not match the batch's rows exactly
 */
export async function writeOutcomes(
  tx: Transaction,
  fileNo: number,
  batch: BatchRow,
  outcomes: RowOutcomes,
): Promise<void> {
  const copied = await copyOutcomes(tx, fileNo, outcomes);
  crashPoint('poll.outcomes-copied');
  // The database sums the outcomes as they are written, row by row (migrations/0016-calls.sql), so nothing has to be
  // read again.
  const { rows } = await tx.client.query<{ rows: number; cents: number }>(
    `SELECT coalesce(sum(rows), 0)::bigint AS rows, coalesce(sum(cents), 0)::bigint AS cents
     FROM batch_outcome WHERE file_no = $1 AND batch_no = $2`,
    [fileNo, batch.batch_no],
  );
  const [found] = rows;
  if (found?.rows === batch.rows && found.cents === batch.cents && copied === batch.rows) return;
  const action = `reconcile batch ${batch.batch_no} of file "${batch.file_id}"`;
  throw new PipelineError('MOVE_REFUSED', action, 'the outcomes do not match its rows');
}

/**
 * Move `except`: the rows of the result are not the rows that were sent. An operator has to decide.
 * @param nextPollAt when the service is polled again, in case its file becomes right
 */
export async function exceptBatch(
  ledger: Ledger,
  key: BatchKey,
  reason: string,
  evidence: Record<string, unknown>,
  nextPollAt: Date | null = null,
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const because = { actor: 'worker:poll', reason, evidence };
    return (await moveBatch(tx, 'except', key, because, { set: { next_poll_at: nextPollAt } })) !== undefined;
  });
}

/** A result from a later poll: the sealed bytes, and their hash. */
export type LaterResult = { sealed: Buffer; sha256: string };

/**
 * Move `recover`: accepts a result that did not fit before and now does. Its bytes replace the first, whose hash stays
 * in the audit trail.
 * @throws PipelineError MOVE_REFUSED when the outcomes do not match the batch's rows exactly
 */
export async function recoverException(
  ledger: Ledger,
  key: BatchKey,
  fileNo: number,
  found: { result: LaterResult; rows: readonly ReconciledRow[]; evidence: Record<string, unknown> },
  nextRecheckAt: Date | null,
): Promise<boolean> {
  const { sealed, sha256 } = found.result;
  return transact(ledger, async (tx) => {
    const row = await moveBatch(
      tx,
      'recover',
      key,
      {
        actor: 'worker:poll',
        reason: 'fetched again, every row matched and counts and cents conserve',
        evidence: { ...found.evidence, sha256 },
      },
      {
        set: { result_at: tx.at, result_sha256: sha256, next_poll_at: null, next_recheck_at: nextRecheckAt },
        also: keeping(sealed),
      },
    );
    if (!row) return false;
    await writeOutcomes(tx, fileNo, row, found.rows);
    return true;
  });
}

/** Keeps a result that changed and still does not fit; the operator compares the latest one. This is no move. */
export async function keepException(
  ledger: Ledger,
  key: BatchKey,
  result: LaterResult,
  reason: string,
  evidence: Record<string, unknown>,
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      `WITH moved AS (
         UPDATE batch SET result_at = $3, result_sha256 = $4, reason = $5
         WHERE file_id = $1 AND batch_no = $2 AND state = 'exception' RETURNING *)
       ${keepSealed('$6')}`,
      [key.fileId, key.batchNo, tx.at, result.sha256, reason, result.sealed],
    );
    if (rowCount === 0) return false;
    tx.audit({
      ...key,
      actor: 'worker:poll',
      move: 'misfit-again',
      reason,
      evidence: { ...evidence, sha256: result.sha256 },
    });
    return true;
  });
}
