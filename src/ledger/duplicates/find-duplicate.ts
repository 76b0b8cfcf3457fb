import type { FileState } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow } from '../engine/records.ts';
import { answerBy, type Question } from '../engine/ask.ts';
import type { Transaction } from '../engine/transaction.ts';
import { CERTAINLY_NOT_CHARGED, mayBeCharged, IS_TAKEN } from '../batch/conditions.ts';

export type Earlier = Pick<FileRow, 'file_id' | 'name'>;

/** An earlier file with the same bytes, and its state. */
export type SameContent = Earlier & Pick<FileRow, 'invalid_rows'> & { state: FileState; mayBeCharged: boolean };

/** A file that is compared with others. One that is not in the ledger has an empty id. */
type Compared = Pick<FileRow, 'file_id' | 'account'>;

/**
 * Makes one question about files, one or many.
 * @param from SQL of the one answer for a file, by `asked`: its account, its id and what `types` names
 * @param types types of the columns of `asked` after those
 * @param files with the values of these columns
 * @returns a question for the answers, in the order of the files; undefined where there is none
 */
function askOfEach<Answer extends object>(
  from: string,
  types: Readonly<Record<string, string>>,
  files: readonly { file: Compared; values: readonly unknown[] }[],
): Question<(Answer | undefined)[]> {
  const names = ['account', 'file_id', ...Object.keys(types)];
  const lists = ['text', 'text', ...Object.values(types)].map((type, place) => `$${place + 1}::${type}[]`);
  const sql = `SELECT asked.place::int AS number, to_jsonb(found) AS answer
     FROM unnest(${lists.join(', ')}) WITH ORDINALITY AS asked (${names.join(', ')}, place)
     CROSS JOIN LATERAL (${from}) found`;
  return {
    sql: files.length === 0 ? undefined : sql,
    values: [
      files.map(({ file }) => file.account),
      files.map(({ file }) => file.file_id),
      ...Object.keys(types).map((_, place) => files.map(({ values }) => values[place])),
    ],
    read: (rows) => {
      const answers = new Map(
        (rows as { number: number; answer: Answer }[]).map(({ number, answer }) => [number, answer]),
      );
      return files.map((_, place) => answers.get(place + 1));
    },
  };
}

/**
 * Returns SQL for files by one condition that an index serves. Without the OFFSET the planner may read all files of the
 * merchant in their order instead, until it comes to one that meets the other conditions.
 */
const filesBy = (condition: string) => `(SELECT * FROM file WHERE ${condition} OFFSET 0)`;

const SAME_MERCHANT = 'merchant_no = (SELECT merchant_of(asked.account))';

/** SQL: outcomes after which a row may be sent again. */
const CERTAIN = `'{${CERTAINLY_NOT_CHARGED.join(',')}}'::text[]`;

/**
 * Finds for each file the one of its merchant with the same bytes that was taken. For encrypted files, the decrypted bytes
 * count too, also against files that came unencrypted.
 * @param files with the SHA-256 of the decrypted bytes as `inside`; by default, of the bytes received
 */
export function findSameContent(
  files: readonly { file: Compared & Pick<FileRow, 'sha256'>; inside?: string | undefined }[],
): Question<(SameContent | undefined)[]> {
  return askOfEach<SameContent>(
    `SELECT file_id, name, state, invalid_rows, ${mayBeCharged(CERTAIN)} AS "mayBeCharged" FROM (
       SELECT * FROM ${filesBy(`${SAME_MERCHANT} AND sha256 = asked.sha256 AND ${WAS_TAKEN}`)} bytes
       UNION ALL
       SELECT * FROM ${filesBy(`${SAME_MERCHANT} AND coalesce(content_sha256, sha256) = asked.inside AND ${WAS_TAKEN}`)} content
     ) file WHERE file_id <> asked.file_id ORDER BY file_no LIMIT 1`,
    { sha256: 'text', inside: 'text' },
    files.map(({ file, inside = file.sha256 }) => ({ file, values: [file.sha256, inside] })),
  );
}

/** SQL condition of the unique indexes of the content of a file. */
const WAS_TAKEN = `(state = 'held' OR ${IS_TAKEN})`;

/** Finds for each file an earlier one with the same name and other content: a new file, but worth reporting. */
export function findSameName(
  files: readonly (Compared & Pick<FileRow, 'name' | 'sha256'>)[],
): Question<(Earlier | undefined)[]> {
  return askOfEach<Earlier>(
    `SELECT file_id, name FROM ${filesBy(`${SAME_MERCHANT} AND name = asked.name`)} file
     WHERE sha256 <> asked.sha256 AND file_id <> asked.file_id ORDER BY file_no DESC LIMIT 1`,
    { name: 'text', sha256: 'text' },
    files.map((file) => ({ file, values: [file.name, file.sha256] })),
  );
}

/**
 * Finds for each file the one of its merchant with the same rows in any order and spelling. A file of which certainly
 * nothing was charged does not count: its rows may be sent again.
 * @param files with the fingerprint of all rows, see crypto/fingerprints/row-set.ts; without one none is like it
 */
export function findSameRows(
  files: readonly { file: Compared; rowSet: string | null }[],
): Question<(Earlier | undefined)[]> {
  return askOfEach<Earlier>(
    `SELECT file.file_id, name FROM (SELECT file_id FROM file_secret WHERE row_set = asked.row_set OFFSET 0) same
     CROSS JOIN LATERAL ${filesBy('file.file_id = same.file_id')} file
     WHERE ${SAME_MERCHANT} AND file.file_id <> asked.file_id AND ${mayBeCharged(CERTAIN)} ORDER BY file_no LIMIT 1`,
    { row_set: 'text' },
    files.map(({ file, rowSet }) => ({ file, values: [rowSet] })),
  );
}

/** The valid rows of a file, and the day in which their totals may repeat. */
export type Totals = { rows: number; cents: number; since: Date };

/**
 * Finds for each file one of its merchant and operation claimed since a moment, with the same number of valid rows and the
 * same total. It counts only if some of it may be charged.
 * @param files without totals where nobody asks
 */
export function findSameTotals(
  files: readonly { file: Compared & Pick<FileRow, 'operation'>; totals: Totals | undefined }[],
): Question<(Earlier | undefined)[]> {
  return askOfEach<Earlier>(
    `SELECT file_id, name FROM ${filesBy('coalesce(valid_cents, 0) = asked.cents')} file
     WHERE ${SAME_MERCHANT} AND operation = asked.operation AND claimed_at >= asked.since AND valid_rows = asked.rows
       AND valid_cents = asked.cents AND file_id <> asked.file_id AND ${mayBeCharged(CERTAIN)}
     ORDER BY file_no LIMIT 1`,
    { operation: 'text', since: 'timestamptz', rows: 'integer', cents: 'bigint' },
    files.map(({ file, totals }) => ({ file, values: [file.operation, totals?.since, totals?.rows, totals?.cents] })),
  );
}

/** Limits of the comparison: rows of this file, and earlier files. */
const ROWS = 200;
const FILES = 20;

/**
 * Finds for each file the earlier ones of its merchant whose lines replace the invoices: each invoice is the number of a line
 * there with the same payer and amount. This happens when rows are cut from a result and the wrong column is removed.
 * @param beside numbers of files that are decided together with these. Whether they are taken is not known yet, so each is
 *   looked at, and none of the others less
 * @returns the ids of those files, the latest first
 */
export function findLinesAsInvoices(
  files: readonly (Compared & Pick<FileRow, 'file_no'>)[],
  beside: readonly number[] = [],
): Question<string[][]> {
  return answerBy(
    askOfEach<{ files: string[] }>(
      `WITH mine AS (SELECT CASE WHEN invoice ~ '^[0-9]{1,9}$' THEN invoice::integer END AS line, customer_code, amount_cents, last_four
                   FROM payment_row WHERE file_no = asked.file_no AND batch_no IS NOT NULL ORDER BY payment_row.line LIMIT ${ROWS}),
       earlier AS (SELECT file_no, file_id FROM file WHERE ${SAME_MERCHANT} AND file_no < asked.file_no
                     AND (${IS_TAKEN} OR file_no = ANY (asked.beside::bigint[]))
                   ORDER BY file_no DESC LIMIT ${FILES + beside.length})
     SELECT array_agg(file_id ORDER BY file_no DESC) AS files FROM earlier e
     WHERE NOT EXISTS (SELECT FROM mine WHERE line IS NULL) AND EXISTS (SELECT FROM mine)
       AND NOT EXISTS (SELECT FROM mine m LEFT JOIN payment_row r ON r.file_no = e.file_no AND r.line = m.line
                         AND r.batch_no IS NOT NULL AND r.amount_cents = m.amount_cents
                         AND r.customer_code = m.customer_code AND r.last_four = m.last_four
                       WHERE r.line IS NULL)`,
      { file_no: 'bigint', beside: 'text' },
      files.map((file) => ({ file, values: [file.file_no, `{${beside.join(',')}}`] })),
    ),
    (found) => found.map((one) => one?.files ?? []),
  );
}

/** Returns SQL for the shape of a text, with runs of letters or digits as one: `A10000042` and `B7` are alike. */
const shapeOf = (text: string) =>
  `regexp_replace(regexp_replace(upper(${text}), '[[:alpha:]]+', 'A', 'g'), '[0-9]+', '9', 'g')`;

/**
 * Returns of each file whether its customer code and its invoice seem swapped. None of its codes has the shape of one that
 * its account used before, and all of its invoices do. Without a header, nothing else distinguishes the two.
 */
export function hasSwappedColumns(files: readonly (Compared & Pick<FileRow, 'file_no'>)[]): Question<boolean[]> {
  return answerBy(
    askOfEach<{ swapped: boolean }>(
      `WITH mine AS (SELECT ${shapeOf('customer_code')} AS code, ${shapeOf('invoice')} AS invoice FROM payment_row
                   WHERE file_no = asked.file_no AND customer_code <> '' AND invoice <> '' ORDER BY line LIMIT ${ROWS}),
       earlier AS (SELECT file_no FROM file WHERE ${SAME_MERCHANT} AND file_no < asked.file_no
                     AND layout IN ('card-code', 'ach-code') AND ${IS_TAKEN}
                   ORDER BY file_no DESC LIMIT ${FILES}),
       used AS (SELECT DISTINCT ${shapeOf('r.customer_code')} AS code FROM earlier e CROSS JOIN LATERAL
                  (SELECT customer_code FROM payment_row WHERE file_no = e.file_no AND customer_code <> '' ORDER BY line LIMIT ${ROWS}) r)
     SELECT coalesce(bool_and(invoice IN (SELECT code FROM used) AND code NOT IN (SELECT code FROM used)), false) AS swapped
     FROM mine`,
      { file_no: 'bigint' },
      files.map((file) => ({ file, values: [file.file_no] })),
    ),
    (found) => found.map((one) => one?.swapped ?? false),
  );
}

/** Valid rows of a file and their sum, in cents. */
export type Size = { rows: number; cents: number };

/**
 * Returns for each file the sizes of the last twenty accepted ones of its folder, the latest first.
 * @param files without a folder where nobody asks
 */
export function readLastSizes(files: readonly { file: Compared; folder: string | undefined }[]): Question<Size[][]> {
  return answerBy(
    askOfEach<{ sizes: Size[] | null }>(
      `SELECT jsonb_agg(jsonb_build_object('rows', valid_rows, 'cents', valid_cents)
                      ORDER BY accepted_at DESC, file_no DESC) AS sizes
     FROM (SELECT valid_rows, valid_cents, accepted_at, file_no FROM file
           WHERE ${SAME_MERCHANT} AND folder = asked.folder AND file_id <> asked.file_id
             AND accepted_at IS NOT NULL AND state <> 'cancelled'
           -- Files that were decided together were accepted at the same time.
           ORDER BY accepted_at DESC, file_no DESC LIMIT ${LAST_FILES}) last`,
      { folder: 'text' },
      files.map(({ file, folder }) => ({ file, values: [folder] })),
    ),
    (found) => found.map((one) => one?.sizes ?? []),
  );
}

/** How many files of a folder tell what is usual. */
export const LAST_FILES = 20;

/**
 * Sums for each file the cents of its account's files accepted since a moment, refunds without their sign. A file counts if
 * either of its two times is late enough, so a slow clock does not move it to the day before.
 * @param files without a moment where nobody asks
 */
export function readAcceptedCents(files: readonly { file: Compared; since: Date | undefined }[]): Question<number[]> {
  return answerBy(
    askOfEach<{ cents: number }>(
      `SELECT coalesce(sum(abs(valid_cents)), 0)::bigint AS cents FROM file
     WHERE asked.since IS NOT NULL AND account = asked.account AND accepted_at IS NOT NULL AND greatest(accepted_at, aged_from) >= asked.since
       AND state <> 'cancelled'`,
      { since: 'timestamptz' },
      files.map(({ file, since }) => ({ file, values: [since] })),
    ),
    (found) => found.map((one) => one?.cents ?? 0),
  );
}

/**
 * Lets only one intake per merchant compare its files with others and decide, until its transaction ends. Otherwise two
 * simultaneous files with the same rows would not see each other, and both be accepted. All processes take the locks of
 * several merchants in one order, so that none waits for another that waits for it.
 */
export async function lockDecisions(tx: Pick<Transaction, 'client'>, ...accounts: readonly string[]): Promise<void> {
  await tx.client.query(
    `SELECT pg_advisory_xact_lock($1, merchant_no)
     FROM (SELECT DISTINCT merchant_of(account) AS merchant_no FROM unnest($2::text[]) account ORDER BY merchant_no) AS merchants`,
    [DECISION_LOCKS, accounts],
  );
}

/** Namespace of these locks, distinct from all others. */
const DECISION_LOCKS = 7_004;

/**
 * Describes of each file the batches that may have been sent before the ledger was restored. The send journal knows their
 * bytes, or a batch of their file that the ledger lacks, from a forgotten call; or the same rows in other batches.
 * @param files with the mark of their rows; null without any
 * @returns the descriptions; undefined where there are none
 */
export function describeSentBefore(
  files: readonly { file: Compared; rowSet: string | null }[],
): Question<(string | undefined)[]> {
  return answerBy(
    askOfEach<{ sends: (Omit<SentBefore, 'at'> & { at: string })[] | null }>(
      `SELECT jsonb_agg(to_jsonb(sent) ORDER BY batch_no) AS sends FROM (
       SELECT DISTINCT ON (b.batch_no) b.batch_no, g.file_id, g.at
       FROM batch b JOIN forgotten_send g ON g.merchant_no = b.merchant_no
         AND (g.sha256 = b.body_sha256 OR g.row_set = asked.row_set OR (g.file_id = b.file_id AND g.batch_state IS NULL))
       WHERE b.file_id = asked.file_id ORDER BY b.batch_no, g.sha256 = b.body_sha256 DESC, g.at) sent`,
      { row_set: 'text' },
      files.map(({ file, rowSet }) => ({ file, values: [rowSet] })),
    ),
    (found) =>
      found.map((one) => saySentBefore((one?.sends ?? []).map((sent) => ({ ...sent, at: new Date(sent.at) })))),
  );
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
