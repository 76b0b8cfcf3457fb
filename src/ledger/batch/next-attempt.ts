import type { Transaction } from '../engine/transaction.ts';
import type { BatchKey } from '../engine/move.ts';

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
