import { mustBeOpen } from '../admission/must-be-open.ts';
import type { FileState } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import { endStoppedFile } from '../file/cancel-file.ts';
import { type BatchKey, type AuditReason, moveBatch, mustHaveMoved } from '../engine/move.ts';

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
