import type { RowFinding } from '../../rows/rows.ts';
import { storableText } from '../engine/storable-text.ts';
import type { Transaction } from '../engine/transaction.ts';
import type { BatchKey, AuditReason } from '../engine/move.ts';
import { readFileNo } from '../batch/settle-batch.ts';

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
    `INSERT INTO journal_report (file_id, batch_no, attempt, name, sha256, lines, oldest_at, newest_at, covers, actor,
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
