import type { Ledger } from '../engine/open-ledger.ts';

/** A row of an account, with the state of its batch. Amount in cents. */
export type RowOfInvoice = {
  invoice: string;
  customerCode: string;
  amountCents: number;
  lastFour: string;
  fileId: string;
  /** Name of the file. */
  name: string;
  batchNo: number;
  batchRows: number;
  attempt: number;
  /** Hash of the batch body. */
  sha256: string;
  /** Some call may have left for it and was not refused. */
  wasSent: boolean;
  isWaiting: boolean;
};

/** Finds the rows of an account with one of these invoices, in the order of their files. */
export async function findRowsOf(
  { pool }: Ledger,
  account: string,
  invoices: readonly string[],
): Promise<RowOfInvoice[]> {
  const { rows } = await pool.query<RowOfInvoice>(
    `SELECT r.invoice, r.customer_code AS "customerCode", r.amount_cents AS "amountCents", r.last_four AS "lastFour",
            f.file_id AS "fileId", f.name, b.batch_no AS "batchNo", b.rows AS "batchRows", b.attempt, b.body_sha256 AS sha256,
            EXISTS (SELECT FROM attempt a WHERE a.file_id = b.file_id AND a.batch_no = b.batch_no
                      AND coalesce(a.verdict, '') NOT IN ('not_sent', 'refused')) AS "wasSent",
            b.state IN ('ready', 'refused') AS "isWaiting"
     FROM payment_row r JOIN file f USING (file_no) JOIN batch b ON b.file_id = f.file_id AND b.batch_no = r.batch_no
     WHERE r.invoice = ANY ($2) AND f.account = $1 ORDER BY f.file_no, r.line`,
    [account, invoices],
  );
  return rows;
}
