import type { RowFinding } from '../../rows/rows.ts';
import { storableText } from '../engine/storable-text.ts';
import type { Transaction } from '../engine/transaction.ts';
import type { AuditReason, BatchKey } from '../engine/move.ts';
import { readFileNo } from './resolve-attempts.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';

/** A transaction report of the service, read for a batch in doubt. */
export type NewReport = {
  attempt: number;
  /** File name, for display. */
  name: string;
  sha256: string;
  lines: number;
  oldestAt: Date | null;
  newestAt: Date | null;
  /** Whether a payment missing from it was not booked by then. */
  covers: boolean;
  findings: readonly RowFinding[];
};

/**
 * Stores what a report says about each row. Storing the same report again changes nothing.
 * @returns whether it was new
 */
export async function keepReport(
  tx: Transaction,
  key: BatchKey,
  report: NewReport,
  because: AuditReason,
): Promise<boolean> {
  const { attempt, name, sha256, lines, oldestAt, newestAt, covers, findings } = report;
  const { rows } = await tx.client.query<{ report_no: number }>(
    `INSERT INTO transaction_report (file_id, batch_no, attempt, name, sha256, lines, oldest_at, newest_at, covers, actor,
                                 reason, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, ${tx.databaseNow})
     ON CONFLICT (file_id, batch_no, attempt, sha256) DO NOTHING RETURNING report_no`,
    [
      key.fileId,
      key.batchNo,
      attempt,
      storableText(name),
      sha256,
      lines,
      oldestAt,
      newestAt,
      covers,
      because.actor,
      storableText(because.reason),
    ],
  );
  const [kept] = rows;
  if (!kept) return false;
  await insertFindings(tx, await readFileNo(tx, key), kept.report_no, findings);
  const counts = countFindings(findings);
  tx.audit({ ...because, ...key, move: 'read-report', evidence: { name, sha256, lines, covers, ...counts } });
  return true;
}

/** Counts the rows of each finding. */
export function countFindings(findings: readonly Pick<RowFinding, 'finding'>[]): Record<RowFinding['finding'], number> {
  const counts = { found: 0, absent: 0, ambiguous: 0 };
  for (const { finding } of findings) counts[finding] += 1;
  return counts;
}

/** Inserts them at once: a batch may have ten thousand rows. */
async function insertFindings(
  tx: Transaction,
  fileNo: number,
  reportNo: number,
  findings: readonly RowFinding[],
): Promise<void> {
  const column = <Value>(read: (finding: RowFinding) => Value) => findings.map(read);
  await tx.client.query(
    `INSERT INTO row_finding (file_no, line, report_no, finding, outcome, code, message, "authorization", transaction_id)
     SELECT $1, line, $2, finding, outcome, code, message, "authorization", transaction_id
     FROM unnest($3::integer[], $4::text[], $5::text[], $6::integer[], $7::text[], $8::text[], $9::text[])
       AS f (line, finding, outcome, code, message, "authorization", transaction_id)`,
    [
      fileNo,
      reportNo,
      column((row) => row.line),
      column((row) => row.finding),
      column((row) => row.outcome),
      column((row) => row.code),
      column((row) => storableText(row.message)),
      column((row) => storableText(row.authorization)),
      column((row) => storableText(row.transactionId)),
    ],
  );
}

/** Period that a report must span to prove anything about a batch, by the database clock. */
export type ReportRange = {
  /** Start of the last earlier call whose payments a report certainly shows before the call of the batch. */
  from: Date;
  to: Date;
  /** Newest payment in the reports read for the batch, by the service's clock. */
  readTo: Date | null;
};

/**
 * Returns the period of a report that can show both a payment from before the batch's last call and everything since.
 * @param delayMs how long after its call a payment may get its time
 */
export async function readReportRange(
  { pool, databaseNow }: Ledger,
  { file_id: fileId, batch_no: batchNo, account, operation }: BatchRow,
  delayMs: number,
): Promise<ReportRange> {
  const { rows } = await pool.query<ReportRange>(
    `WITH call AS (
       SELECT started_at, coalesce(call_no, 0) AS call_no FROM attempt
       WHERE file_id = $1 AND batch_no = $2 ORDER BY attempt DESC LIMIT 1
     ), charge AS (
       SELECT a.started_at FROM attempt a JOIN batch b USING (file_id, batch_no) JOIN file f USING (file_id)
       WHERE b.merchant_no = (SELECT merchant_of($3)) AND b.operation = $4 AND a.verdict = 'submitted' AND a.call_no < (SELECT call_no FROM call)
         AND EXISTS (SELECT FROM batch_outcome o WHERE o.file_no = f.file_no AND o.batch_no = b.batch_no
                       AND o.outcome IN ('approved', 'accepted_pending'))
     )
     SELECT coalesce(
              (SELECT max(started_at) FROM charge
               WHERE started_at < (SELECT started_at FROM call) - $5::float8 * interval '1 ms'),
              (SELECT min(started_at) FROM charge),
              (SELECT started_at FROM call),
              ${databaseNow()}) AS "from",
            ${databaseNow()} AS "to",
            (SELECT max(r.newest_at) FROM transaction_report r WHERE r.file_id = $1 AND r.batch_no = $2 AND r.covers)
              AS "readTo"`,
    [fileId, batchNo, account, operation, delayMs],
  );
  return rows[0]!;
}

/** A payment certainly charged, and how many such payments its call included. */
type LackingCharge = { invoice: string; callNo: number; ofCall: number };

/** Finds payments that the service charged for the account in a period, except those with one of these invoices. */
export async function findChargedBeside(
  ledger: Ledger,
  { account, operation }: Pick<BatchRow, 'account' | 'operation'>,
  { from, to }: { from: Date; to: Date },
  invoices: readonly string[],
): Promise<LackingCharge[]> {
  const { rows } = await ledger.pool.query<LackingCharge>(
    `SELECT invoice, "callNo", "ofCall" FROM (
       SELECT r.invoice, a.call_no AS "callNo", count(*) OVER (PARTITION BY a.call_no) AS "ofCall"
       FROM attempt a JOIN batch b USING (file_id, batch_no) JOIN file f USING (file_id)
       JOIN payment_row r ON r.file_no = f.file_no AND r.line BETWEEN b.first_line AND b.last_line AND r.batch_no = b.batch_no
       JOIN current_outcome o ON o.file_no = r.file_no AND o.line = r.line
       WHERE a.verdict = 'submitted' AND a.started_at BETWEEN $3 AND $4 AND b.merchant_no = (SELECT merchant_of($1)) AND b.operation = $2
         AND r.invoice <> '' AND o.outcome IN ('approved', 'accepted_pending')) charge
     WHERE invoice <> ALL($5)`,
    [account, operation, from, to, invoices],
  );
  return rows;
}
