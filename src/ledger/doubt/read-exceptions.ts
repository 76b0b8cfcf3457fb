import type { Ledger } from '../engine/open-ledger.ts';

export type ExceptionBatch = {
  fileId: string;
  batchNo: number;
  name: string;
  account: string;
  batchId: string | null;
  rows: number;
  cents: number;
  since: Date;
  reason: string | null;
  /** When the service is polled again automatically. */
  nextPollAt: Date | null;
};

/** Returns batches whose result does not fit what was sent, oldest first, at most 200. Money is integer cents. */
export async function readExceptions(ledger: Ledger): Promise<ExceptionBatch[]> {
  const { rows } = await ledger.pool.query<ExceptionBatch>(
    `SELECT b.file_id AS "fileId", b.batch_no AS "batchNo", f.name, b.account, b.batch_id AS "batchId", b.rows, b.cents,
            b.state_at AS since, b.reason, b.next_poll_at AS "nextPollAt"
     FROM batch b JOIN file f USING (file_id)
     WHERE b.state NOT IN ('reconciled', 'cancelled') AND b.state = 'exception'
     ORDER BY b.state_at, b.file_id, b.batch_no LIMIT 200`,
  );
  return rows;
}
