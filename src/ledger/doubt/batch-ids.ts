import type { LayoutName } from '../../../schemas/layouts.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';

export type BatchIds = {
  /** The last ids that the service assigned for these accounts, newest first. */
  ids: string[];
  /** Number of the newest call. */
  calls: number;
  /** A call is in progress or in doubt, or may not have been recorded. */
  isCalling: boolean;
  /** Calls since the newest id, known to the ledger without the id they may have received. */
  withoutId: number;
  /** Returns whether a batch of any account has this id, or a forgotten call of these accounts. */
  isKnown(batchId: string): Promise<boolean>;
};

/** Enough ids to see how far apart they are. */
const NEWEST = 100;

/** @param accounts accounts with one agent code, which the service treats as one */
export async function readBatchIds({ pool }: Ledger, accounts: readonly string[]): Promise<BatchIds> {
  const { rows } = await pool.query<{ ids: string[]; calls: number; isCalling: boolean; withoutId: number }>(
    `WITH newest AS (SELECT coalesce(max(submitted_at), '-infinity') AS at FROM batch
                     WHERE account = ANY ($1) AND batch_id IS NOT NULL)
     SELECT ARRAY(SELECT batch_id FROM batch WHERE account = ANY ($1) AND batch_id IS NOT NULL
                  ORDER BY submitted_at DESC LIMIT $2) AS ids,
            coalesce((SELECT max(call_no) FROM attempt JOIN batch USING (file_id, batch_no) WHERE account = ANY ($1)), 0) AS calls,
            EXISTS (SELECT FROM batch WHERE account = ANY ($1) AND state IN ('preparing', 'sending', 'unknown')) AS "isCalling",
            (SELECT count(*)::int FROM forgotten_send g, newest WHERE account = ANY ($1) AND batch_id IS NULL AND g.at > newest.at)
              + (SELECT count(*)::int FROM newest, attempt a JOIN batch b USING (file_id, batch_no)
                 WHERE b.account = ANY ($1) AND a.verdict = 'unknown' AND b.batch_id IS NULL AND a.started_at > newest.at) AS "withoutId"`,
    [accounts, NEWEST],
  );
  return {
    ...rows[0]!,
    isKnown: async (batchId) => {
      const { rowCount } = await pool.query(
        `SELECT FROM batch WHERE batch_id = $1 UNION ALL SELECT FROM forgotten_send WHERE batch_id = $1 AND account = ANY ($2)`,
        [batchId, accounts],
      );
      return rowCount !== 0;
    },
  };
}

/** Returns ready and refused batches in sending order, with what reading their rows needs. */
export async function readWaiting(
  { pool }: Ledger,
  account: string,
): Promise<{ batch: BatchRow; fileNo: number; layout: LayoutName }[]> {
  const { rows } = await pool.query<BatchRow & { fileNo: number; layout: LayoutName }>(
    `SELECT b.*, f.file_no AS "fileNo", f.layout FROM batch b JOIN file f USING (file_id)
     WHERE b.account = $1 AND b.state IN ('ready', 'refused') ORDER BY f.file_no, b.batch_no`,
    [account],
  );
  return rows.map(({ fileNo, layout, ...batch }) => ({ batch, fileNo, layout }));
}
