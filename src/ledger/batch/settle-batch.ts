import type { ReconciledRow } from '../../rows/rows.ts';
import type { BatchRow } from '../engine/records.ts';
import type { Transaction } from '../engine/transaction.ts';
import { type BatchKey, type AuditReason, moveBatch } from '../engine/move.ts';
import { writeOutcomes } from './receive-result.ts';
import { type AttemptResolution, mustBeResolved, readLastCall, resolveAttempts } from '../doubt/resolve-attempts.ts';

/**
 * Move `settle`: ends a batch in doubt with one outcome per row, from sources other than its result file, or `unknown`
 * for good. Outcomes are written like those of a result, so the outputs follow as usual.
 * @param resolution `settled` when every row is certain, `in_doubt` when the batch is closed without that
 * @throws PipelineError MOVE_REFUSED when the batch is not in doubt, or the outcomes do not match its rows exactly
 */
export async function settleBatch(
  tx: Transaction,
  key: BatchKey,
  rows: readonly ReconciledRow[],
  resolution: Extract<AttemptResolution, 'settled' | 'in_doubt'>,
  because: AuditReason,
): Promise<BatchRow> {
  // The time of sending is known, whatever the outcome; the sender's result file states it.
  const set = { submitted_at: await readLastCall(tx, key), result_at: tx.at, next_poll_at: null };
  const row = await moveBatch(tx, 'settle', key, because, { set });
  const batch = await mustBeResolved(tx, row, key, 'settle');
  await writeOutcomes(tx, await readFileNo(tx, key), batch, rows);
  await resolveAttempts(tx, key, resolution, because);
  return batch;
}

/** Returns the number that rows use for their file. */
export async function readFileNo(tx: Transaction, key: BatchKey): Promise<number> {
  const { rows } = await tx.client.query<{ file_no: number }>('SELECT file_no FROM file WHERE file_id = $1', [
    key.fileId,
  ]);
  return rows[0]!.file_no;
}
