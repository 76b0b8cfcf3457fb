import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import type { BatchKey, AuditReason } from '../engine/move.ts';

/**
 * Makes the next poll of a batch due now. This is no move: a poll only reads and may be repeated freely.
 * @throws PipelineError MOVE_REFUSED for a batch without a batch id from the service, ORIGINAL_GONE after its retention
 */
export async function pollNow(ledger: Ledger, key: BatchKey, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    await mustHaveOriginal(tx, key);
    if (!(await makeDue(tx, key)))
      throw new PipelineError('MOVE_REFUSED', actionOf(key), 'the service has given it no batch id');
    tx.audit({ ...because, ...key, move: 'repoll' });
  });
}

/** Throws if the file was destroyed: another result could be neither sealed nor written into a correction. */
async function mustHaveOriginal(tx: Transaction, key: BatchKey): Promise<void> {
  const { rowCount } = await tx.client.query('SELECT FROM file WHERE file_id = $1 AND shredded_at IS NOT NULL', [
    key.fileId,
  ]);
  if (rowCount) throw new PipelineError('ORIGINAL_GONE', actionOf(key));
}

function actionOf({ fileId, batchNo }: BatchKey): string {
  return `ask for the result of batch ${batchNo} of file "${fileId}"`;
}

async function makeDue(tx: Transaction, key: BatchKey): Promise<object | undefined> {
  const { rows } = await tx.client.query<object>(
    `UPDATE batch SET next_poll_at = CASE WHEN state IN ('submitted', 'exception') THEN $3::timestamptz END,
                      next_recheck_at = CASE WHEN state = 'reconciled' THEN $3::timestamptz END
     WHERE file_id = $1 AND batch_no = $2 AND batch_id IS NOT NULL
       AND state IN ('submitted', 'result_in', 'exception', 'reconciled') RETURNING file_id`,
    [key.fileId, key.batchNo, tx.at],
  );
  return rows[0];
}
