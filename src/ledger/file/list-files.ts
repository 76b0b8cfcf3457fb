import { IS_OPEN } from '../batch/conditions.ts';
import { FILE_STATES, type FileState } from '../../../schemas/lifecycle.ts';
import { inListOrder, type LedgerReader, type ListPage, pageSql } from '../engine/list-page.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow, FileRow, PlainFileRow } from '../engine/records.ts';
import { maskName } from '../../kernel/mask.ts';
import { type PaymentSearch, startOf } from '../row/find-payments.ts';
import type { BatchKey } from '../engine/move.ts';

/** Which payment files to list; a field left out matches any. */
export type FileFilter = {
  states?: readonly FileState[] | undefined;
  /** Only held files and those with a batch that waits for a person. */
  needsAttention?: boolean | undefined;
  account?: string | undefined;
  folder?: string | undefined;
  operation?: string | undefined;
  /** Part of the name, in any case; masked, as the ledger keeps names. */
  namePart?: string | undefined;
  /** The sender's name, masked too. */
  name?: string | undefined;
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
};

/** A file with the progress of its batches. Money is integer cents. */
export type ListedFile = PlainFileRow & { batches: number; done: number };

/** What the list of files can be sorted by; each has an index (0042). `time` is when they were taken. */
const FILE_ORDERS = {
  time: 'file_no',
  amount: 'coalesce(valid_cents, 0)',
  name: 'lower(name) COLLATE "C"',
  account: 'account',
} as const;

export type FileOrder = keyof typeof FILE_ORDERS;

/** Returns a page of the matching files; by default the newest first. Counts batches for these alone. */
export async function listFiles(
  { pool }: LedgerReader,
  filter: FileFilter,
  { order = 'time', isDescending = true, ...page }: ListPage<FileOrder>,
): Promise<ListedFile[]> {
  const value = FILE_ORDERS[order];
  const valueAt = (place: string) => `SELECT ${value} FROM file WHERE file_no = ${place}`;
  const sql = pageSql({ value, number: 'file_no', valueAt }, { ...page, isDescending }, '$9');
  const { rows } = await pool.query<ListedFile>(
    `SELECT f.*, b.batches, b.done FROM (
       SELECT * FROM file WHERE ${matches(filter)} AND ${sql.condition} ORDER BY ${sql.order} LIMIT $10) f
     LEFT JOIN LATERAL (
       SELECT count(*) AS batches, count(*) FILTER (WHERE NOT (${IS_OPEN})) AS done
       FROM batch WHERE batch.file_id = f.file_id) b ON true
     ORDER BY ${sql.order}`,
    [...valuesOf(filter), page.after ?? page.before ?? null, page.limit],
  );
  return inListOrder(rows, page);
}

/** Counts the matching files, up to one more than `most`. */
export async function countFiles({ pool }: LedgerReader, filter: FileFilter, most: number): Promise<number> {
  const { rows } = await pool.query<{ files: number }>(
    `SELECT count(*) AS files FROM (SELECT 1 FROM file WHERE ${matches(filter)} LIMIT $9) matching`,
    [...valuesOf(filter), most + 1],
  );
  return rows[0]!.files;
}

/**
 * Counts files in each state, up to one more than `most`, and those that need attention under that name.
 * @param account only files of this one; empty for all
 */
export async function countFilesByState(
  { pool }: LedgerReader,
  account: string,
  most: number,
): Promise<ReadonlyMap<FileState | 'attention', number>> {
  const states = Object.keys(FILE_STATES) as FileState[];
  const { rows } = await pool.query<{ state: FileState | 'attention'; files: number }>(
    `SELECT state, files FROM unnest($1::text[]) AS asked (state) CROSS JOIN LATERAL (
       SELECT count(*) AS files FROM (SELECT 1 FROM file WHERE file.state = asked.state AND ($3 = '' OR account = $3) LIMIT $2) matching) counted
     UNION ALL
     SELECT 'attention', count(*) FROM (
       SELECT 1 FROM file WHERE ${NEEDS_ATTENTION} AND ($3 = '' OR account = $3) LIMIT $2) matching`,
    [states, most + 1, account],
  );
  return new Map(rows.map(({ state, files }) => [state, files]));
}

/** As a list that is read first: PostgreSQL would otherwise look at all files for the few that need attention. */
const NEEDS_ATTENTION = `file_id = ANY (ARRAY(
  SELECT file_id FROM file WHERE state = 'held'
  UNION ALL SELECT file_id FROM batch WHERE ${IS_OPEN} AND state IN ('unknown', 'exception', 'refused')
  UNION ALL SELECT file_id FROM unknown_row WHERE NOT is_closed))`;

function matches({ needsAttention = false }: FileFilter): string {
  return `($1::text[] IS NULL OR state = ANY ($1)) AND ($2::text IS NULL OR account = $2)
    AND ($3::text IS NULL OR folder = $3) AND ($4::text IS NULL OR operation = $4)
    AND ($5::text IS NULL OR strpos(lower(name), lower($5)) > 0) AND ($6::text IS NULL OR name = $6)
    AND ($7::timestamptz IS NULL OR claimed_at >= $7) AND ($8::timestamptz IS NULL OR claimed_at < $8)
    ${needsAttention ? `AND ${NEEDS_ATTENTION}` : ''}`;
}

function valuesOf({ states, account, folder, operation, namePart, name, from, to }: FileFilter): unknown[] {
  return [states, account, folder, operation, namePart, name, from, to].map((value) => value ?? null);
}

/** How another file relates to this one. */
export type LinkKind = 'made_from' | 'resubmitted_as' | 'duplicate_of' | 'repeated_by' | 'corrects' | 'corrected_by';

/** A related file. A resubmission that has not come through its folder yet has no id. */
export type LinkedFile = {
  kind: LinkKind;
  fileId: string | null;
  name: string;
  state: FileState | null;
  at: Date;
  rows: number | null;
  /** The run that sent rows again, if a run did. */
  runNo: number | null;
};

/** SQL: the run of resubmission `r`. */
const RUN_OF = `(SELECT run_no FROM reprocess_item i
  WHERE i.resubmission_no = r.resubmission_no AND i.action = 'resubmit') AS "runNo"`;

/**
 * Returns the files this one was made from, the files made from it, those with the same content, and those that one
 * corrects; at most 100.
 */
export async function readLinkedFiles(ledger: Ledger, fileId: string): Promise<LinkedFile[]> {
  const { rows } = await ledger.pool.query<LinkedFile>(
    `SELECT 'made_from' AS kind, f.file_id AS "fileId", f.name, f.state, r.at, r.rows, ${RUN_OF}
     FROM resubmission r JOIN file f USING (file_id) WHERE r.new_file_id = $1
     UNION ALL
     SELECT 'resubmitted_as', r.new_file_id, r.name, f.state, r.at, r.rows, ${RUN_OF}
     FROM resubmission r LEFT JOIN file f ON f.file_id = r.new_file_id WHERE r.file_id = $1
     UNION ALL
     SELECT 'duplicate_of', f.file_id, f.name, f.state, f.claimed_at, f.records, NULL
     FROM file this JOIN file f ON f.file_id = this.duplicate_of WHERE this.file_id = $1
     UNION ALL
     SELECT 'repeated_by', f.file_id, f.name, f.state, f.claimed_at, f.records, NULL
     FROM file f WHERE f.duplicate_of = $1
     UNION ALL
     SELECT 'corrects', f.file_id, f.name, f.state, u.at, f.records, NULL
     FROM upload u JOIN file f ON f.file_id = u.replaces WHERE u.file_id = $1
     UNION ALL
     SELECT 'corrected_by', u.file_id, u.name, f.state, u.at, f.records, NULL
     FROM upload u LEFT JOIN file f ON f.file_id = u.file_id WHERE u.replaces = $1
     ORDER BY at LIMIT 100`,
    [fileId],
  );
  return rows;
}

/** A file that needs approval. Rows and money are those of its valid rows; money is integer cents. */
export type HeldFile = {
  fileId: string;
  name: string;
  account: string;
  rows: number;
  cents: number;
  since: Date;
  reason: string | null;
  /** Persons who dropped it on the dashboard, as in the audit trail. They do not approve it themselves. */
  uploaders: string[];
};

/** Returns the held files, longest waiting first; at most 200. Uses the index `file_by_state`. */
export async function readHeld(ledger: Ledger): Promise<HeldFile[]> {
  const { rows } = await ledger.pool.query<HeldFile>(
    `SELECT file_id AS "fileId", name, account, coalesce(valid_rows, 0) AS rows, coalesce(valid_cents, 0)::bigint AS cents,
            state_at AS since, reason, ARRAY(SELECT actor FROM upload u WHERE u.file_id = file.file_id) AS uploaders
     FROM file WHERE state = 'held' ORDER BY state_at, file_no LIMIT 200`,
  );
  return rows;
}

export type FoundFile = Pick<FileRow, 'file_no' | 'file_id' | 'name' | 'account' | 'state' | 'claimed_at'>;

/** Text to look for, and what else must fit; `until` is exclusive. */
type FileWords = { readonly text: string } & Pick<PaymentSearch, 'accounts' | 'from' | 'until'>;

/** Files among which a part of a name is looked for. A name that begins with the words is found among all. */
const LOOKED_AT = 10_000;

/**
 * Returns files by id, by its first letters (four or more), by the beginning of the name, or by part of it among the
 * newest files; newest first. The ledger masks long numbers in names, so the search masks them too.
 */
export async function searchFiles(
  { pool }: Ledger,
  { text, accounts, from, until }: FileWords,
  limit: number,
): Promise<FoundFile[]> {
  const columns = 'file_no, file_id, name, account, state, claimed_at';
  const values = [text.toLowerCase(), limit, accounts ?? null, from ?? null, until ?? null];
  const put = (value: unknown) => `$${values.push(value as string)}`;
  const name = maskName(text);
  const { rows } = await pool.query<FoundFile>(
    `SELECT DISTINCT ${columns} FROM (
       (SELECT ${columns} FROM file WHERE $1 ~ '^[0-9a-z]{4,16}$' AND file_id LIKE $1 || '%' LIMIT ${LOOKED_AT})
       UNION ALL (SELECT ${columns} FROM file WHERE lower(name) LIKE ${startOf(name, put)}
                  ORDER BY lower(name) USING ~<~ LIMIT ${LOOKED_AT})
       UNION ALL SELECT * FROM (SELECT ${columns} FROM file ORDER BY file_no DESC LIMIT ${LOOKED_AT}) newest
                 WHERE strpos(lower(name), lower(${put(name)})) > 0) f
     WHERE ($3::text[] IS NULL OR account = ANY ($3)) AND ($4::timestamptz IS NULL OR claimed_at >= $4)
       AND ($5::timestamptz IS NULL OR claimed_at < $5)
     ORDER BY file_no DESC LIMIT $2`,
    values,
  );
  return rows;
}

export type FoundBatch = BatchKey & { name: string; fileState: FileState } & Pick<
    BatchRow,
    'account' | 'state' | 'rows' | 'cents' | 'submitted_at'
  >;

/** Returns the batches to which the service gave this id; two accounts may have received the same. */
export async function findBatchesById(ledger: Ledger, batchId: string): Promise<FoundBatch[]> {
  const { rows } = await ledger.pool.query<FoundBatch>(
    `SELECT b.file_id AS "fileId", b.batch_no AS "batchNo", f.name, f.state AS "fileState", b.account, b.state, b.rows, b.cents,
            b.submitted_at
     FROM batch b JOIN file f USING (file_id) WHERE b.batch_id = $1 ORDER BY f.file_no DESC LIMIT 20`,
    [batchId],
  );
  return rows;
}

/** A batch in a list, without the token of its worker. */
export type ListedBatch = Pick<
  BatchRow,
  | 'batch_no'
  | 'state'
  | 'state_at'
  | 'reason'
  | 'attempt'
  | 'rows'
  | 'cents'
  | 'batch_id'
  | 'submitted_at'
  | 'result_at'
>;

/** What the batches of a file can be sorted by. A file has few of them, so no index is needed. */
const BATCH_ORDERS = { number: 'batch_no', amount: 'cents' } as const;

export type BatchOrder = keyof typeof BATCH_ORDERS;

/** Returns a page of the batches of a file; by default by number. */
export async function listBatches(
  { pool }: LedgerReader,
  fileId: string,
  { order = 'number', ...page }: ListPage<BatchOrder>,
): Promise<ListedBatch[]> {
  const value = BATCH_ORDERS[order];
  const valueAt = (place: string) => `SELECT ${value} FROM batch WHERE file_id = $1 AND batch_no = ${place}`;
  const sql = pageSql({ value, number: 'batch_no', valueAt }, page, '$2');
  const { rows } = await pool.query<ListedBatch>(
    `SELECT batch_no, state, state_at, reason, attempt, rows, cents, batch_id, submitted_at, result_at
     FROM batch WHERE file_id = $1 AND ${sql.condition} ORDER BY ${sql.order} LIMIT $3`,
    [fileId, page.after ?? page.before ?? null, page.limit],
  );
  return inListOrder(rows, page);
}

/** Counts the batches of a file, up to one more than `most`. */
export async function countBatches({ pool }: LedgerReader, fileId: string, most: number): Promise<number> {
  const { rows } = await pool.query<{ batches: number }>(
    'SELECT count(*) AS batches FROM (SELECT 1 FROM batch WHERE file_id = $1 LIMIT $2) matching',
    [fileId, most + 1],
  );
  return rows[0]!.batches;
}
