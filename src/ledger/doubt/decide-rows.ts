import type { ReconciledRow, RowFinding } from '../../rows/rows.ts';
import type { Transaction } from '../engine/transaction.ts';
import type { BatchKey } from '../engine/move.ts';
import { readFileNo, readLastCall } from './resolve-attempts.ts';

/** The deciding parts of a report that was read for the current attempt. */
export type KeptReport = { reportNo: number; covers: boolean; newestAt: Date | null; at: Date };

/** What the reports together prove about the rows of a batch. */
export type Decided = { certain: ReconciledRow[]; uncertain: number[] };

/**
 * Decides what the transaction reports prove about the rows of a batch in doubt. A row in any report has the outcome of
 * the latest report that shows it. A row missing from two reports was never charged.
 * @param waitMs how far apart the two must be
 */
export async function decideRows(tx: Transaction, key: BatchKey, waitMs: number): Promise<Decided> {
  const fileNo = await readFileNo(tx, key);
  const calledAt = (await readLastCall(tx, key)) ?? tx.at;
  const reports = await readReports(tx, key);
  const { rows: lines } = await tx.client.query<{ line: number }>(
    `SELECT r.line FROM batch b
     JOIN payment_row r ON r.file_no = $1 AND r.line BETWEEN b.first_line AND b.last_line AND r.batch_no = b.batch_no
     WHERE b.file_id = $2 AND b.batch_no = $3 ORDER BY r.line`,
    [fileNo, key.fileId, key.batchNo],
  );
  const findings = new Map<number, KeptFinding[]>(lines.map(({ line }) => [line, []]));
  for (const finding of await readFindings(tx, fileNo, reports)) findings.get(finding.line)?.push(finding);
  const decided: Decided = { certain: [], uncertain: [] };
  for (const { line } of lines) {
    const row = decideRow(line, findings.get(line) ?? [], reports, { calledAt, waitMs });
    if (row) decided.certain.push(row);
    else decided.uncertain.push(line);
  }
  return decided;
}

type KeptFinding = RowFinding & { reportNo: number };

/** @param findings findings for this row, in the order of the reports */
export function decideRow(
  line: number,
  findings: readonly KeptFinding[],
  reports: readonly KeptReport[],
  times: { calledAt: Date; waitMs: number },
): ReconciledRow | undefined {
  const found = findings.filter((finding) => finding.finding === 'found').at(-1);
  if (found) {
    const { outcome, code, message, authorization } = found;
    return { line, outcome: outcome!, code, message, authorization };
  }
  // One report that may show the row outweighs any number of others that lack it.
  if (findings.some((finding) => finding.finding === 'ambiguous')) return undefined;
  const lacking = reports.filter((report) =>
    findings.some((finding) => finding.reportNo === report.reportNo && finding.finding === 'absent'),
  );
  if (!lacking.some((first) => lacking.some((second) => confirms(first, second, times)))) return undefined;
  return { line, outcome: 'not_charged', code: null, message: NOT_CHARGED, authorization: '' };
}

const NOT_CHARGED = 'not charged: two reports of the service, one long after the other, lack it';

/**
 * Returns whether two reports prove that a row missing from both was never booked. Bookings come late, so the second
 * must be read at least the waiting time after the first. It must also reach beyond the first, and beyond the call by
 * the waiting time.
 */
function confirms(
  first: KeptReport,
  second: KeptReport,
  { calledAt, waitMs }: { calledAt: Date; waitMs: number },
): boolean {
  if (!first.covers || !second.covers || !first.newestAt || !second.newestAt) return false;
  return (
    second.newestAt > first.newestAt &&
    second.newestAt.getTime() >= calledAt.getTime() + waitMs &&
    second.at.getTime() >= first.at.getTime() + waitMs
  );
}

/** Counts the reports read for the current attempt; proposals based on them are bound to this number. */
export async function countReports(tx: Transaction, key: BatchKey): Promise<number> {
  return (await readReports(tx, key)).length;
}

async function readReports(tx: Transaction, key: BatchKey): Promise<KeptReport[]> {
  const { rows } = await tx.client.query<KeptReport>(
    `SELECT r.report_no AS "reportNo", r.covers, r.newest_at AS "newestAt", r.at
     FROM transaction_report r JOIN batch b USING (file_id, batch_no, attempt)
     WHERE r.file_id = $1 AND r.batch_no = $2 ORDER BY r.report_no`,
    [key.fileId, key.batchNo],
  );
  return rows;
}

async function readFindings(tx: Transaction, fileNo: number, reports: readonly KeptReport[]): Promise<KeptFinding[]> {
  const { rows } = await tx.client.query<KeptFinding>(
    `SELECT line, report_no AS "reportNo", finding, outcome, code, message, "authorization",
            transaction_id AS "transactionId"
     FROM row_finding WHERE file_no = $1 AND report_no = ANY($2) ORDER BY report_no`,
    [fileNo, reports.map((report) => report.reportNo)],
  );
  return rows;
}
