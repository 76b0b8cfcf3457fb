import { mustBeOpen } from '../admission/close-ledger.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { transact, type Transaction } from '../engine/transaction.ts';
import { type AuditReason, type BatchKey, moveBatch, mustHaveMoved } from '../engine/move.ts';
import type { FileState } from '../../../schemas/lifecycle.ts';
import { endStoppedFile } from '../file/cancel-file.ts';

/**
 * Move `retry`: the service refused the batch, nothing was charged, and an operator has fixed the cause. The batch may
 * be sent again as its next attempt.
 * @param only `attempt`: the refusal that the person saw. `also` runs in the same transaction
 * @throws PipelineError MOVE_REFUSED when the batch is not refused, or by another attempt
 */
export async function retryRefused(
  ledger: Ledger,
  key: BatchKey,
  because: AuditReason,
  only: { attempt?: number; also?: (tx: Transaction) => Promise<void> } = {},
): Promise<void> {
  await transact(ledger, async (tx) => {
    await mustBeOpen(tx);
    const set = { attempt: await nextAttempt(tx, key), not_before: null, releases: 0 };
    const where = only.attempt === undefined ? {} : { where: { sql: 'attempt = $1', values: [only.attempt] } };
    const row = await moveBatch(tx, 'retry', key, because, { set, ...where });
    await mustHaveMoved(tx, key, row, `retry batch ${key.batchNo} of file "${key.fileId}"`);
    await only.also?.(tx);
  });
}

/**
 * Returns a number for the next call of a batch that no call has used, whatever the batch itself counts. The send
 * journal uses it to distinguish calls.
 */
export async function nextAttempt(tx: Transaction, key: BatchKey): Promise<number> {
  const { rows } = await tx.client.query<{ next: number | null }>(
    `SELECT greatest(max(a.attempt), max(b.attempt)) + 1 AS next
     FROM batch b LEFT JOIN attempt a USING (file_id, batch_no) WHERE b.file_id = $1 AND b.batch_no = $2`,
    [key.fileId, key.batchNo],
  );
  return rows[0]?.next ?? 1;
}

/**
 * Move `withdraw`: cancels a refused batch; its rows are never sent.
 * @returns the state of its file afterward
 * @throws PipelineError MOVE_REFUSED when the batch is not refused
 */
export async function withdrawBatch(ledger: Ledger, key: BatchKey, because: AuditReason): Promise<FileState> {
  return transact(ledger, async (tx) => {
    await mustBeOpen(tx);
    const row = await moveBatch(tx, 'withdraw', key, because);
    await mustHaveMoved(tx, key, row, `withdraw batch ${key.batchNo} of file "${key.fileId}"`);
    return endStoppedFile(tx, key.fileId, because);
  });
}
