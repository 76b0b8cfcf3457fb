import { mustBeOpen } from '../admission/must-be-open.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import { type BatchKey, type AuditReason, moveBatch, mustHaveMoved } from '../engine/move.ts';
import { nextAttempt } from './next-attempt.ts';

/**
 * Move `retry`: the service refused the batch, nothing was charged, and an operator has fixed the cause. The batch may
 * be sent again as its next attempt.
 * @throws PipelineError MOVE_REFUSED when the batch is not refused
 */
export async function retryRefused(ledger: Ledger, key: BatchKey, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    await mustBeOpen(tx);
    const set = { attempt: await nextAttempt(tx, key), not_before: null, releases: 0 };
    const row = await moveBatch(tx, 'retry', key, because, { set });
    await mustHaveMoved(tx, key, row, `retry batch ${key.batchNo} of file "${key.fileId}"`);
  });
}
