import { IS_OPEN } from '../batch/conditions.ts';
import type { LayoutName } from '../../../schemas/layouts.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';
import { hasInvoiceOf } from '../file/search.ts';

type HoldingBatch = Pick<
  BatchRow,
  'file_id' | 'batch_no' | 'operation' | 'rows' | 'cents' | 'first_line' | 'last_line'
> & {
  file_no: number;
  name: string;
  layout: LayoutName;
};

/** Finds other batches of the account that hold a row with one of these invoices, latest first, at most 20. */
export async function findBatchesHolding(
  ledger: Ledger,
  batch: BatchRow,
  invoices: readonly string[],
): Promise<HoldingBatch[]> {
  const { rows } = await ledger.pool.query<HoldingBatch>(
    `SELECT DISTINCT f.file_no, f.name, f.layout, b.file_id, b.batch_no, b.operation, b.rows, b.cents,
            b.first_line, b.last_line
     FROM payment_row r JOIN file f USING (file_no) JOIN batch b ON b.file_id = f.file_id AND b.batch_no = r.batch_no
     WHERE ${hasInvoiceOf('$1')} AND b.merchant_no = (SELECT merchant_of($2)) AND (b.file_id, b.batch_no) <> ($3, $4)
     ORDER BY f.file_no DESC, b.batch_no LIMIT 20`,
    [invoices, batch.account, batch.file_id, batch.batch_no],
  );
  return rows;
}

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
     WHERE ${hasInvoiceOf('$2')} AND f.merchant_no = (SELECT merchant_of($1)) ORDER BY f.file_no, r.line`,
    [account, invoices],
  );
  return rows;
}

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
     WHERE b.${IS_OPEN} AND b.state = 'exception'
     ORDER BY b.state_at, b.file_id, b.batch_no LIMIT 200`,
  );
  return rows;
}
