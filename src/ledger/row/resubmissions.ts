import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow } from '../engine/records.ts';
import { CERTAINLY_NOT_CHARGED } from '../duplicates/may-be-charged.ts';

export type ResubmissionRow = {
  resubmission_no: number;
  name: string;
  sha256: string;
  rows: number;
  cents: number;
  actor: string;
  reason: string;
  at: Date;
  new_file_id: string | null;
  /** Rows of a file not back yet that may have been charged after all. If there are any, it must not come back. */
  charged: number;
};

/** Returns the files made from rows of this one, oldest first. */
export async function readResubmissions(ledger: Ledger, fileId: string): Promise<ResubmissionRow[]> {
  const { rows } = await ledger.pool.query<ResubmissionRow>(
    `SELECT s.resubmission_no, s.name, s.sha256, s.rows, s.cents, s.actor, s.reason, s.at, s.new_file_id,
            CASE WHEN s.new_file_id IS NULL THEN (
              SELECT count(*) FROM file f JOIN resubmitted_row r USING (file_no) JOIN current_outcome o USING (file_no, line)
              WHERE f.file_id = s.file_id AND r.resubmission_no = s.resubmission_no AND o.outcome <> ALL ($2)
            ) ELSE 0 END AS charged
     FROM resubmission s WHERE s.file_id = $1 ORDER BY s.resubmission_no`,
    [fileId, CERTAINLY_NOT_CHARGED],
  );
  return rows;
}

/** Returns whether we made the file ourselves from rows of another. */
export async function isResubmission(ledger: Ledger, fileId: string): Promise<boolean> {
  const { rowCount } = await ledger.pool.query('SELECT FROM resubmission WHERE new_file_id = $1 LIMIT 1', [fileId]);
  return rowCount !== 0;
}

export async function readResubmittedLines(ledger: Ledger, resubmissionNo: number): Promise<number[]> {
  const { rows } = await ledger.pool.query<{ line: number }>(
    `SELECT r.line FROM resubmission s JOIN file f USING (file_id) JOIN resubmitted_row r USING (file_no)
     WHERE s.resubmission_no = $1 AND r.resubmission_no = $1 ORDER BY r.line`,
    [resubmissionNo],
  );
  return rows.map((row) => row.line);
}

/** Returns the lines of a resubmission that are `not_charged` now, because transaction reports lacked them. */
export async function readLackedLines(ledger: Ledger, resubmissionNo: number): Promise<number[]> {
  const { rows } = await ledger.pool.query<{ line: number }>(
    `SELECT r.line FROM resubmission s JOIN file f USING (file_id) JOIN resubmitted_row r USING (file_no)
     JOIN current_outcome o USING (file_no, line)
     WHERE s.resubmission_no = $1 AND r.resubmission_no = $1 AND o.outcome = 'not_charged' ORDER BY r.line`,
    [resubmissionNo],
  );
  return rows.map((row) => row.line);
}

/**
 * Returns lines that may not be resubmitted whatever their outcome: done before, or of a batch with a call that only
 * the send journal knew.
 */
export async function readBarredLines(ledger: Ledger, file: FileRow): Promise<Set<number>> {
  const { rows } = await ledger.pool.query<{ line: number }>(
    `SELECT line FROM resubmitted_row WHERE file_no = $1
     UNION SELECT r.line FROM forgotten_send g JOIN batch b USING (file_id, batch_no)
           JOIN payment_row r ON r.file_no = $1 AND r.line BETWEEN b.first_line AND b.last_line AND r.batch_no = b.batch_no
           WHERE g.file_id = $2`,
    [file.file_no, file.file_id],
  );
  return new Set(rows.map((row) => row.line));
}
