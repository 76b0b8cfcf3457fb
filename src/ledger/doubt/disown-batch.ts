import { mustBeOpen } from '../admission/must-be-open.ts';
import { storableJson } from '../engine/storable-text.ts';
import type { Transaction } from '../engine/transaction.ts';
import { type BatchKey, type AuditReason, moveBatch } from '../engine/move.ts';
import { voidProposals } from '../proposal/propose.ts';
import { mustBeResolved } from './resolve-attempts.ts';

/**
 * Move `disown`: detaches the result under the batch id, because it belongs to another batch. This batch is in doubt
 * again. The id becomes free for its own batch and stays recorded with the attempt.
 * @returns the detached batch id
 * @throws PipelineError MOVE_REFUSED when the batch is no exception
 */
export async function disownBatch(tx: Transaction, key: BatchKey, because: AuditReason): Promise<string | null> {
  await mustBeOpen(tx);
  const { rows } = await tx.client.query<{ batch_id: string | null; attempt: number }>(
    'SELECT batch_id, attempt FROM batch WHERE file_id = $1 AND batch_no = $2 FOR UPDATE',
    [key.fileId, key.batchNo],
  );
  const [before] = rows;
  const disownedBatchId = before?.batch_id ?? null;
  const set = {
    batch_id: null,
    submitted_at: null,
    result_at: null,
    result_sha256: null,
    next_poll_at: null,
    stale_since: null,
    poll_alarm: null,
    not_known_polls: 0,
  };
  const evidence = { ...because.evidence, disownedBatchId };
  const row = await moveBatch(tx, 'disown', key, { ...because, evidence }, { set });
  await mustBeResolved(tx, row, key, 'disown the result of');
  await tx.client.query(
    `UPDATE attempt SET verdict = 'unknown', resolution = NULL, resolved_at = NULL, resolved_by = NULL,
       evidence = coalesce(evidence, '{}') || $4::jsonb
     WHERE file_id = $1 AND batch_no = $2 AND attempt = $3`,
    [key.fileId, key.batchNo, before?.attempt, storableJson({ disownedBatchId })],
  );
  await voidProposals(tx, key, because);
  return disownedBatchId;
}
