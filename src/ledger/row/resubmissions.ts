import { NO_RETRY, REJECTIONS, rejectionOf } from '../../../schemas/rejections.ts';
import { saidState } from '../../../schemas/shown.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow } from '../engine/records.ts';
import { CERTAINLY_NOT_CHARGED } from '../batch/conditions.ts';
import { mustBeOpen } from '../admission/close-ledger.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { storableText } from '../engine/storable-text.ts';
import { transact, type Transaction, violates } from '../engine/transaction.ts';
import type { AuditReason } from '../engine/move.ts';

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

/** Codes with which a declined row may be sent again. */
const RETRYABLE_CODES = Object.keys(REJECTIONS)
  .map(Number)
  .filter((code) => !NO_RETRY.includes(rejectionOf(code).advice));

/**
 * Returns whether a finished file has rows that may be sent again, or an earlier resubmission that never came back. It
 * stops at the first one. The sums of the file tell whether to look at its rows at all.
 */
export async function hasRowsToSend(
  { pool }: Ledger,
  { file_id: fileId, file_no: fileNo }: Pick<FileRow, 'file_id' | 'file_no'>,
): Promise<boolean> {
  const { rows } = await pool.query<{ has: boolean }>(
    `SELECT EXISTS (SELECT FROM resubmission WHERE file_id = $1 AND new_file_id IS NULL)
         OR EXISTS (SELECT FROM row_outcome o WHERE o.file_no = $2 AND o.outcome IN ('declined', 'format_error', 'not_charged')
                      AND ${MAY_GO})
         OR EXISTS (SELECT FROM row_change o WHERE o.file_no = $2 AND ${MAY_GO})
         OR EXISTS (SELECT FROM batch b
                      JOIN payment_row o ON o.file_no = $2 AND o.line BETWEEN b.first_line AND b.last_line AND o.batch_no = b.batch_no
                    WHERE b.file_id = $1 AND b.state = 'cancelled' AND ${NOT_RESUBMITTED}
                      AND NOT EXISTS (SELECT FROM forgotten_send g WHERE g.file_id = $1 AND g.batch_no = b.batch_no)) AS has`,
    [fileId, fileNo, RETRYABLE_CODES],
  );
  return rows[0]!.has;
}

const NOT_RESUBMITTED = `NOT EXISTS (SELECT FROM resubmitted_row s WHERE s.file_no = $2 AND s.line = o.line)`;

const MAY_GO = `${NOT_RESUBMITTED} AND EXISTS (
  SELECT FROM current_outcome k WHERE k.file_no = $2 AND k.line = o.line AND (k.outcome IN ('format_error', 'not_charged')
    OR k.outcome = 'declined' AND (k.code IS NULL OR k.code = ANY ($3))))`;

export function readResubmittedLines(ledger: Ledger, resubmissionNo: number): Promise<number[]> {
  return readLines(ledger, resubmissionNo, '', '');
}

/** Returns the lines of a resubmission that are `not_charged` now, because transaction reports lacked them. */
export function readLackedLines(ledger: Ledger, resubmissionNo: number): Promise<number[]> {
  const outcome = 'JOIN current_outcome o USING (file_no, line)';
  return readLines(ledger, resubmissionNo, outcome, `AND o.outcome = 'not_charged'`);
}

async function readLines({ pool }: Ledger, resubmissionNo: number, join: string, and: string): Promise<number[]> {
  const { rows } = await pool.query<{ line: number }>(
    `SELECT r.line FROM resubmission s JOIN file f USING (file_id) JOIN resubmitted_row r USING (file_no) ${join}
     WHERE s.resubmission_no = $1 AND r.resubmission_no = $1 ${and} ORDER BY r.line`,
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

/** A payment file made from rows of an older one. Money is integer cents. */
export type NewResubmission = {
  name: string;
  /** For which it is to come back, if that is not the account of the file. */
  account?: string;
  sha256: string;
  lines: readonly number[];
  cents: number;
  /** They go to another account, where what else was sent of the file need not have ended. */
  isMove?: boolean;
};

/**
 * Records which rows of a file go out again, before the new file is dropped: a row is resubmitted at most once. It
 * checks each row again, because its state may have changed since the file was written.
 * @param also runs in the same transaction, with the number of the resubmission
 * @returns the number of the resubmission
 * @throws PipelineError MOVE_REFUSED when a row was resubmitted or may have been charged, or the file is not finished
 */
export async function recordResubmission(
  ledger: Ledger,
  file: FileRow,
  resubmission: NewResubmission,
  because: AuditReason,
  also?: (tx: Transaction, resubmissionNo: number) => Promise<void>,
): Promise<number> {
  const { name, account = file.account, sha256, lines, cents, isMove = false } = resubmission;
  try {
    return await transact(ledger, async (tx) => {
      await mustBeOpen(tx);
      await refuseUnlessOver(tx, file, isMove ? [...OVER, 'in_progress'] : OVER);
      await refuseCharged(tx, file, lines);
      const { rows } = await tx.client.query<{ resubmission_no: number }>(
        `INSERT INTO resubmission (file_id, account, name, sha256, rows, cents, actor, reason, at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING resubmission_no`,
        [file.file_id, account, name, sha256, lines.length, cents, because.actor, storableText(because.reason), tx.at],
      );
      const number = rows[0]!.resubmission_no;
      await tx.client.query(
        `INSERT INTO resubmitted_row (file_no, line, resubmission_no, place)
         SELECT $1, line, $3, row_number() OVER (ORDER BY line) FROM unnest($2::int[]) AS line`,
        [file.file_no, lines, number],
      );
      const evidence = { ...because.evidence, name, sha256, rows: lines.length, cents };
      tx.audit({ ...because, fileId: file.file_id, move: 'resubmit', evidence });
      await also?.(tx, number);
      return number;
    });
  } catch (error) {
    if (violates(error, 'resubmitted_row_pkey')) throw refusal(file, 'one of its rows was just resubmitted');
    throw error;
  }
}

/** States of a file in which no row is sent any more. */
const OVER: readonly string[] = ['completed', 'partly_cancelled', 'cancelled'];

async function refuseUnlessOver(tx: Transaction, file: FileRow, over: readonly string[]): Promise<void> {
  const { rows } = await tx.client.query<{ state: string }>('SELECT state FROM file WHERE file_id = $1 FOR UPDATE', [
    file.file_id,
  ]);
  const state = rows[0]?.state ?? 'gone';
  if (!over.includes(state)) throw refusal(file, `the state of the file is ${saidState(state)}`);
}

async function refuseCharged(tx: Transaction, file: FileRow, lines: readonly number[]): Promise<void> {
  const { rows } = await tx.client.query<{ charged: number }>(
    `SELECT count(*) AS charged FROM unnest($2::int[]) AS wanted (line)
     LEFT JOIN payment_row r ON r.file_no = $1 AND r.line = wanted.line
     LEFT JOIN batch b ON b.file_id = $3 AND b.batch_no = r.batch_no
     LEFT JOIN current_outcome o ON o.file_no = $1 AND o.line = wanted.line
     WHERE (o.outcome = ANY ($4) OR (o.outcome IS NULL AND b.state = 'cancelled')) IS NOT TRUE
        OR EXISTS (SELECT 1 FROM forgotten_send g WHERE g.file_id = $3 AND g.batch_no = r.batch_no)`,
    [file.file_no, lines, file.file_id, CERTAINLY_NOT_CHARGED],
  );
  const { charged } = rows[0]!;
  if (charged > 0) throw refusal(file, `${charged} of the rows may have been charged`);
}

function refusal(file: FileRow, why: string): PipelineError {
  return new PipelineError('MOVE_REFUSED', `resubmit rows of file "${file.file_id}"`, why);
}

/**
 * Links a file that came back through its drop folder: from here on both files name each other in the audit trail. The
 * folder tells it, whatever its account is called or means by now.
 */
export async function linkResubmission(
  tx: Transaction,
  claimed: { fileId: string; folder: string; sha256: string },
): Promise<void> {
  const { rows } = await tx.client.query<{ file_id: string; actor: string; rows: number }>(
    `WITH linked AS (
       UPDATE resubmission SET new_file_id = $3
       WHERE resubmission_no = (SELECT min(s.resubmission_no) FROM resubmission s JOIN file f USING (file_id)
                                WHERE f.folder = $1 AND s.sha256 = $2 AND s.new_file_id IS NULL)
       RETURNING file_id, actor, rows, account),
     strange AS (
       UPDATE file f SET meant_for = linked.account FROM linked WHERE f.file_id = $3 AND NOT EXISTS (
         SELECT FROM account a JOIN account b USING (merchant_no, country, currency)
         WHERE a.account = linked.account AND b.account = f.account))
     SELECT file_id, actor, rows FROM linked`,
    [claimed.folder, claimed.sha256, claimed.fileId],
  );
  const [old] = rows;
  if (!old) return;
  const evidence = { rows: old.rows, orderedBy: old.actor };
  const link = { actor: 'worker:watch', move: 'link' };
  tx.audit({ ...link, fileId: claimed.fileId, reason: `made of rows of file ${old.file_id}`, evidence });
  tx.audit({ ...link, fileId: old.file_id, reason: `its rows were dropped again as file ${claimed.fileId}`, evidence });
}
