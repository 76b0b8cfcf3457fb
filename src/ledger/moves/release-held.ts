import type { Ledger } from '../open-ledger.ts';
import { transact } from '../transaction.ts';
import { type Because, moveBatch, moveFile, mustMove } from './move.ts';

/**
 * Move `approve`: a person looked at a held file and lets its valid rows go.
 * @throws PipelineError MOVE_REFUSED when the file is not held
 */
export async function approveFile(ledger: Ledger, fileId: string, because: Because): Promise<void> {
  await transact(ledger, async (tx) => {
    mustMove(await moveFile(tx, 'approve', fileId, because), `approve file "${fileId}"`);
  });
}

/** Move `decline`: the file is cancelled with all its batches; none of them was ever sent. */
export async function declineFile(ledger: Ledger, fileId: string, because: Because): Promise<void> {
  await transact(ledger, async (tx) => {
    mustMove(await moveFile(tx, 'decline', fileId, because), `decline file "${fileId}"`);
    const { rows } = await tx.client.query<{ batch_no: number }>('SELECT batch_no FROM batch WHERE file_id = $1', [
      fileId,
    ]);
    for (const { batch_no: batchNo } of rows) await moveBatch(tx, 'cancel', { fileId, batchNo }, because);
  });
}
