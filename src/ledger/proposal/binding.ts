import { PipelineError } from '../../kernel/errors.ts';
import type { Transaction } from '../engine/transaction.ts';
import type { BatchKey } from '../engine/move.ts';
import type { Binding } from './propose.ts';

/**
 * Returns what a proposal for a file is bound to: its bytes, valid rows, money and state. Locks the file until the
 * transaction ends.
 * @throws PipelineError NOT_FOUND
 */
export async function bindingOfFile(tx: Transaction, fileId: string): Promise<Binding> {
  const { rows } = await tx.client.query<Binding>(
    `SELECT sha256, coalesce(valid_rows, 0) AS rows, coalesce(valid_cents, 0) AS cents, state
     FROM file WHERE file_id = $1 FOR UPDATE`,
    [fileId],
  );
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find file "${fileId}"`);
  return rows[0];
}

/**
 * Returns the same for a batch: its bytes, rows, money, attempt and state.
 * @throws PipelineError NOT_FOUND
 */
export async function bindingOfBatch(tx: Transaction, { fileId, batchNo }: BatchKey): Promise<Binding> {
  const { rows } = await tx.client.query<Binding>(
    `SELECT body_sha256 AS sha256, rows, cents, attempt, state FROM batch
     WHERE file_id = $1 AND batch_no = $2 FOR UPDATE`,
    [fileId, batchNo],
  );
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find batch ${batchNo} of file "${fileId}"`);
  return rows[0];
}
