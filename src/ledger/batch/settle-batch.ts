import type { ReconciledRow } from '../../rows/rows.ts';
import type { BatchRow } from '../engine/records.ts';
import type { Transaction } from '../engine/transaction.ts';
import { type BatchKey, type Because, moveBatch } from '../engine/move.ts';
import { writeOutcomes } from './receive-result.ts';
import { type AttemptResolution, mustBeResolved, readLastCall, resolveAttempts } from '../doubt/resolve-attempts.ts';

/**
 * Move `settle`: the batch in doubt ends with one outcome for each row, found out by other ways than its result file, or
 * with rows that stay unknown for good. Written like those of a result, so the outputs follow as always.
 * @param resolution `settled` when every row is certain, `in_doubt` when it is closed without that
 * @throws PipelineError MOVE_REFUSED when the batch is not in doubt, or the outcomes are not those of exactly its rows
 */
export async function settleBatch(
  tx: Transaction,
  key: BatchKey,
  rows: readonly ReconciledRow[],
  resolution: Extract<AttemptResolution, 'settled' | 'in_doubt'>,
  because: Because,
): Promise<BatchRow> {
  // When it was sent is known, whatever became of it; the result file of the sender says so.
  const set = { submitted_at: await readLastCall(tx, key), result_at: tx.at, next_poll_at: null };
  const row = await moveBatch(tx, 'settle', key, because, { set });
  const batch = await mustBeResolved(tx, row, key, 'settle');
  await writeOutcomes(tx, await readFileNo(tx, key), batch, rows);
  await resolveAttempts(tx, key, resolution, because);
  return batch;
}

/** The number by which rows name their file. */
export async function readFileNo(tx: Transaction, key: BatchKey): Promise<number> {
  const { rows } = await tx.client.query<{ file_no: number }>('SELECT file_no FROM file WHERE file_id = $1', [
    key.fileId,
  ]);
  return rows[0]!.file_no;
}
