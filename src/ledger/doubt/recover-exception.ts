import type { ReconciledRow } from '../../rows/rows.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import { type BatchKey, moveBatch } from '../engine/move.ts';
import { keeping, keepSealed, writeOutcomes } from '../batch/receive-result.ts';

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
        reason: 'asked for again, every row matched and counts and cents conserve',
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
