import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';

/** A batch in a list, without the token of its worker. */
export type ListedBatch = Pick<
  BatchRow,
  | 'batch_no'
  | 'state'
  | 'state_at'
  | 'reason'
  | 'attempt'
  | 'rows'
  | 'cents'
  | 'batch_id'
  | 'submitted_at'
  | 'result_at'
>;

/** Returns the batches of a file in order, starting at number `from`. */
export async function listBatches(
  ledger: Ledger,
  fileId: string,
  { from, limit }: { from: number; limit: number },
): Promise<ListedBatch[]> {
  const { rows } = await ledger.pool.query<ListedBatch>(
    `SELECT batch_no, state, state_at, reason, attempt, rows, cents, batch_id, submitted_at, result_at
     FROM batch WHERE file_id = $1 AND batch_no >= $2 ORDER BY batch_no LIMIT $3`,
    [fileId, from, limit],
  );
  return rows;
}
