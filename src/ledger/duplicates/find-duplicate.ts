import type { FileState } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow } from '../engine/records.ts';
import type { Transaction } from '../engine/transaction.ts';
import { CERTAINLY_NOT_CHARGED, mayBeCharged, IS_TAKEN } from '../batch/conditions.ts';

export type Earlier = Pick<FileRow, 'file_id' | 'name' | 'claimed_at'>;

/** An earlier file with the same bytes, and its state. */
export type SameContent = Earlier & Pick<FileRow, 'invalid_rows'> & { state: FileState; mayBeCharged: boolean };

/**
 * Finds the file of this merchant with the same bytes that was taken. For encrypted files, the decrypted bytes count
 * too, also against files that came unencrypted.
 * @param inside SHA-256 of the decrypted bytes; by default, of the bytes received
 */
export async function findSameContent(
  tx: Transaction,
  file: Pick<FileRow, 'file_id' | 'account' | 'sha256'>,
  inside: string = file.sha256,
): Promise<SameContent | undefined> {
  const { rows } = await tx.client.query<SameContent>(
    `SELECT file_id, name, claimed_at, state, invalid_rows, ${mayBeCharged('$5')} AS "mayBeCharged" FROM file
     WHERE merchant_no = (SELECT merchant_of($1)) AND (sha256 = $2 OR coalesce(content_sha256, sha256) = $4) AND file_id <> $3
       AND (state = 'held' OR ${IS_TAKEN})
     ORDER BY file_no LIMIT 1`,
    [file.account, file.sha256, file.file_id, inside, CERTAINLY_NOT_CHARGED],
  );
  return rows[0];
}

/** Finds an earlier file with the same name and other content: a new file, but worth reporting. */
export async function findSameName(
  tx: Transaction,
  file: Pick<FileRow, 'file_id' | 'account' | 'name' | 'sha256'>,
): Promise<Earlier | undefined> {
  const { rows } = await tx.client.query<Earlier>(
    `SELECT file_id, name, claimed_at FROM file
     WHERE merchant_no = (SELECT merchant_of($1)) AND name = $2 AND sha256 <> $3 AND file_id <> $4 ORDER BY file_no DESC LIMIT 1`,
    [file.account, file.name, file.sha256, file.file_id],
  );
  return rows[0];
}

/**
 * Finds the file of this merchant with the same rows in any order and spelling. A file of which certainly nothing was
 * charged does not count: its rows may be sent again.
 * @param rowSet fingerprint of all rows, see crypto/fingerprints/row-set.ts
 */
export async function findSameRows(
  tx: Transaction,
  file: Pick<FileRow, 'file_id' | 'account'>,
  rowSet: string,
): Promise<Earlier | undefined> {
  const { rows } = await tx.client.query<Earlier>(
    `SELECT file_id, name, claimed_at FROM file JOIN file_secret USING (file_id)
     WHERE merchant_no = (SELECT merchant_of($1)) AND row_set = $2 AND file_id <> $3 AND ${mayBeCharged('$4')} ORDER BY file_no LIMIT 1`,
    [file.account, rowSet, file.file_id, CERTAINLY_NOT_CHARGED],
  );
  return rows[0];
}

/**
 * Finds a file of this merchant and operation claimed since a moment, with the same number of valid rows and the same
 * total. It counts only if some of it may be charged.
 */
export async function findSameTotals(
  tx: Transaction,
  file: Pick<FileRow, 'file_id' | 'account' | 'operation'>,
  valid: { rows: number; cents: number; since: Date },
): Promise<Earlier | undefined> {
  const { rows } = await tx.client.query<Earlier>(
    `SELECT file_id, name, claimed_at FROM file
     WHERE merchant_no = (SELECT merchant_of($1)) AND operation = $2 AND claimed_at >= $3 AND valid_rows = $4 AND valid_cents = $5
       AND file_id <> $6 AND ${mayBeCharged('$7')} ORDER BY file_no LIMIT 1`,
    [file.account, file.operation, valid.since, valid.rows, valid.cents, file.file_id, CERTAINLY_NOT_CHARGED],
  );
  return rows[0];
}

/** Limits of the comparison: rows of this file, and earlier files. */
const ROWS = 200;
const FILES = 20;

/**
 * Finds an earlier file of the merchant whose lines replace the invoices: each invoice is the number of a line there
 * with the same payer and amount. This happens when rows are cut from a result and the wrong column is removed.
 * @returns the id of that file
 */
export async function findLinesAsInvoices(
  tx: Transaction,
  { file_no: fileNo, account }: Pick<FileRow, 'file_no' | 'account'>,
): Promise<string | undefined> {
  const { rows } = await tx.client.query<{ file_id: string }>(
    `WITH mine AS (SELECT CASE WHEN invoice ~ '^[0-9]{1,9}$' THEN invoice::integer END AS line, customer_code, amount_cents, last_four
                   FROM payment_row WHERE file_no = $1 AND batch_no IS NOT NULL ORDER BY payment_row.line LIMIT ${ROWS}),
       earlier AS (SELECT file_no, file_id FROM file WHERE merchant_no = (SELECT merchant_of($2)) AND file_no < $1
                     AND ${IS_TAKEN}
                   ORDER BY file_no DESC LIMIT ${FILES})
     SELECT file_id FROM earlier e
     WHERE NOT EXISTS (SELECT FROM mine WHERE line IS NULL) AND EXISTS (SELECT FROM mine)
       AND NOT EXISTS (SELECT FROM mine m LEFT JOIN payment_row r ON r.file_no = e.file_no AND r.line = m.line
                         AND r.batch_no IS NOT NULL AND r.amount_cents = m.amount_cents
                         AND r.customer_code = m.customer_code AND r.last_four = m.last_four
                       WHERE r.line IS NULL)
     ORDER BY file_no DESC LIMIT 1`,
    [fileNo, account],
  );
  return rows[0]?.file_id;
}

/** Returns SQL for the shape of a text, with runs of letters or digits as one: `A10000042` and `B7` are alike. */
const shapeOf = (text: string) =>
  `regexp_replace(regexp_replace(upper(${text}), '[[:alpha:]]+', 'A', 'g'), '[0-9]+', '9', 'g')`;

/**
 * Returns whether customer code and invoice of a file seem swapped. None of its codes has the shape of one that its
 * account used before, and all of its invoices do. Without a header, nothing else distinguishes the two.
 */
export async function hasSwappedColumns(
  tx: Transaction,
  { file_no: fileNo, account }: Pick<FileRow, 'file_no' | 'account'>,
): Promise<boolean> {
  const { rows } = await tx.client.query<{ swapped: boolean }>(
    `WITH mine AS (SELECT ${shapeOf('customer_code')} AS code, ${shapeOf('invoice')} AS invoice FROM payment_row
                   WHERE file_no = $1 AND customer_code <> '' AND invoice <> '' ORDER BY line LIMIT ${ROWS}),
       earlier AS (SELECT file_no FROM file WHERE merchant_no = (SELECT merchant_of($2)) AND file_no < $1 AND layout IN ('card-code', 'ach-code')
                     AND ${IS_TAKEN}
                   ORDER BY file_no DESC LIMIT ${FILES}),
       used AS (SELECT DISTINCT ${shapeOf('r.customer_code')} AS code FROM earlier e CROSS JOIN LATERAL
                  (SELECT customer_code FROM payment_row WHERE file_no = e.file_no AND customer_code <> '' ORDER BY line LIMIT ${ROWS}) r)
     SELECT coalesce(bool_and(invoice IN (SELECT code FROM used) AND code NOT IN (SELECT code FROM used)), false) AS swapped
     FROM mine`,
    [fileNo, account],
  );
  return rows[0]!.swapped;
}

type UsualSize = { files: number; rows: number; cents: number };

/** Returns the median of the last twenty accepted files of the folder. One huge file changes it little. */
export async function readUsualSize(
  tx: Transaction,
  file: Pick<FileRow, 'file_id' | 'account' | 'folder'>,
): Promise<UsualSize> {
  const { rows } = await tx.client.query<{ files: number; rows: number | null; cents: number | null }>(
    `SELECT count(*) AS files,
            percentile_cont(0.5) WITHIN GROUP (ORDER BY last.valid_rows) AS rows,
            percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(last.valid_cents)) AS cents
     FROM (SELECT valid_rows, valid_cents FROM file
           WHERE merchant_no = (SELECT merchant_of($1)) AND folder = $2 AND file_id <> $3 AND accepted_at IS NOT NULL AND state <> 'cancelled'
           ORDER BY accepted_at DESC LIMIT 20) last`,
    [file.account, file.folder, file.file_id],
  );
  const { files, rows: usualRows, cents } = rows[0]!;
  return { files, rows: usualRows ?? 0, cents: cents ?? 0 };
}

/**
 * Sums the cents of the account's files accepted since a moment, refunds without their sign. A file counts if either of
 * its two times is late enough, so a slow clock does not move it to the day before.
 */
export async function readAcceptedCents(tx: Transaction, account: string, since: Date): Promise<number> {
  const { rows } = await tx.client.query<{ cents: number }>(
    `SELECT coalesce(sum(abs(valid_cents)), 0)::bigint AS cents FROM file
     WHERE account = $1 AND accepted_at IS NOT NULL AND greatest(accepted_at, aged_from) >= $2 AND state <> 'cancelled'`,
    [account, since],
  );
  return rows[0]!.cents;
}

/**
 * Lets only one intake per merchant compare its file with others and decide, until its transaction ends. Otherwise two
 * simultaneous files with the same rows would not see each other, and both be accepted.
 */
export async function lockDecisions(tx: Transaction, account: string): Promise<void> {
  await tx.client.query('SELECT pg_advisory_xact_lock($1, merchant_of($2))', [DECISION_LOCKS, account]);
}

/** Namespace of these locks, distinct from all others. */
const DECISION_LOCKS = 7_004;

/**
 * Describes batches of a file that may have been sent before the ledger was restored. The send journal knows their
 * bytes, or a batch of their file that the ledger lacks, from a forgotten call; or the same rows in other batches.
 * @param rowSet mark of the rows of the file; null when it has none
 * @returns the description, or undefined when there are none
 */
export async function describeSentBefore(
  tx: Transaction,
  fileId: string,
  rowSet: string | null,
): Promise<string | undefined> {
  const { rows } = await tx.client.query<SentBefore>(
    `SELECT DISTINCT ON (b.batch_no) b.batch_no, g.file_id, g.at
     FROM batch b JOIN forgotten_send g ON g.merchant_no = b.merchant_no
       AND (g.sha256 = b.body_sha256 OR g.row_set = $2 OR (g.file_id = b.file_id AND g.batch_state IS NULL))
     WHERE b.file_id = $1 ORDER BY b.batch_no, g.sha256 = b.body_sha256 DESC, g.at`,
    [fileId, rowSet],
  );
  return saySentBefore(rows);
}

/**
 * Returns whether the file from which batches or all rows of this one were sent went, in part, with bytes that no batch
 * of this one has. It was cut in another way then, or other rows were in it, so batches that look new may hold rows
 * that were sent.
 */
export async function wasCutOtherwise(tx: Transaction, fileId: string): Promise<boolean> {
  const { rowCount } = await tx.client.query(
    `SELECT 1 FROM forgotten_send other
     WHERE (other.merchant_no, other.file_id) IN
         (SELECT g.merchant_no, g.file_id FROM batch b JOIN forgotten_send g ON g.merchant_no = b.merchant_no
            AND (g.sha256 = b.body_sha256 OR g.row_set = (SELECT row_set FROM file_secret WHERE file_id = $1))
          WHERE b.file_id = $1 AND g.file_id <> b.file_id)
       AND other.sha256 NOT IN (SELECT own.body_sha256 FROM batch own WHERE own.file_id = $1) LIMIT 1`,
    [fileId],
  );
  return rowCount !== 0;
}

/** A batch whose rows were sent, when, and from which file. */
export type SentBefore = { batch_no: number; file_id: string; at: Date };

/** @returns undefined when there are none */
export function saySentBefore([first, ...others]: readonly SentBefore[]): string | undefined {
  if (!first) return undefined;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return `batch ${first.batch_no} was sent at ${first.at.toISOString()} from file ${first.file_id}${more}`;
}

/** Returns whether the send journal knows any forgotten call of this merchant; most merchants have none. */
export async function hasForgottenSends({ pool }: Ledger, account: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'SELECT 1 FROM forgotten_send WHERE merchant_no = (SELECT merchant_of($1)) LIMIT 1',
    [account],
  );
  return rowCount !== 0;
}

/**
 * Returns when the bytes of a batch that is not cut yet, or all rows of its file, were sent before; undefined when they
 * were not.
 */
export async function findForgottenSend(
  { pool }: Ledger,
  { account, batchNo, ...known }: { account: string; batchNo: number; sha256?: string; rowSet?: string | null },
): Promise<SentBefore | undefined> {
  const { rows } = await pool.query<SentBefore>(
    `SELECT $3::integer AS batch_no, file_id, at FROM forgotten_send
     WHERE merchant_no = (SELECT merchant_of($1)) AND (sha256 = $2 OR row_set = $4) ORDER BY at LIMIT 1`,
    [account, known.sha256 ?? null, batchNo, known.rowSet ?? null],
  );
  return rows[0];
}
