import { IS_OPEN } from '../batch/conditions.ts';
import type { FileState } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow, FileRow, PlainFileRow } from '../engine/records.ts';
import { maskName, maskText } from '../../kernel/mask.ts';
import type { BatchKey } from '../engine/move.ts';

/** Which payment files to list; a field left out matches any. */
export type FileFilter = {
  state?: FileState | undefined;
  account?: string | undefined;
  folder?: string | undefined;
  operation?: string | undefined;
  /** Part of the name, in any case; masked, as the ledger keeps names. */
  name?: string | undefined;
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
  /** Where the page begins: older than this file, or newer than it. */
  olderThan?: number | undefined;
  newerThan?: number | undefined;
  limit: number;
};

/** A file with the progress of its batches. Money is integer cents. */
export type ListedFile = Pick<
  FileRow,
  | 'file_no'
  | 'file_id'
  | 'name'
  | 'account'
  | 'operation'
  | 'folder'
  | 'state'
  | 'records'
  | 'valid_cents'
  | 'claimed_at'
> & { batches: number; done: number };

/** Returns the matching files, newest first; with `newerThan`, those right after it. Counts batches for these alone. */
export async function listFiles(ledger: Ledger, filter: FileFilter): Promise<ListedFile[]> {
  const order = filter.newerThan === undefined ? 'DESC' : 'ASC';
  const { rows } = await ledger.pool.query<ListedFile>(
    `SELECT f.*, b.batches, b.done FROM (
       SELECT file_no, file_id, name, account, operation, folder, state, records, valid_cents, claimed_at FROM file
       WHERE ($1::text IS NULL OR state = $1) AND ($2::text IS NULL OR account = $2)
         AND ($3::text IS NULL OR folder = $3) AND ($4::text IS NULL OR operation = $4)
         AND ($5::text IS NULL OR strpos(lower(name), lower($5)) > 0)
         AND ($6::timestamptz IS NULL OR claimed_at >= $6) AND ($7::timestamptz IS NULL OR claimed_at < $7)
         AND ($8::bigint IS NULL OR file_no < $8) AND ($9::bigint IS NULL OR file_no > $9)
       ORDER BY file_no ${order} LIMIT $10) f
     LEFT JOIN LATERAL (
       SELECT count(*) AS batches, count(*) FILTER (WHERE NOT (${IS_OPEN})) AS done
       FROM batch WHERE batch.file_id = f.file_id) b ON true
     ORDER BY f.file_no DESC`,
    [
      filter.state ?? null,
      filter.account ?? null,
      filter.folder ?? null,
      filter.operation ?? null,
      filter.name ?? null,
      filter.from ?? null,
      filter.to ?? null,
      filter.olderThan ?? null,
      filter.newerThan ?? null,
      filter.limit,
    ],
  );
  return rows;
}

type PageFilter = {
  account?: string;
  state?: FileState;
  folder?: string;
  /** The sender's name, with long numbers masked, as the ledger keeps it. */
  name?: string;
  claimedSince?: Date;
  claimedUntil?: Date;
};

/**
 * Returns a page of the matching files, newest first.
 * @param before `next` of the page before
 */
export async function pageFiles(
  ledger: Ledger,
  { account, state, folder, name, claimedSince, claimedUntil }: PageFilter,
  { before, limit }: { before?: number; limit: number },
): Promise<{ files: PlainFileRow[]; next: number | undefined }> {
  const { rows } = await ledger.pool.query<PlainFileRow>(
    `SELECT * FROM file
     WHERE ($1::text IS NULL OR account = $1) AND ($2::text IS NULL OR state = $2) AND ($3::text IS NULL OR folder = $3)
       AND ($4::text IS NULL OR name = $4) AND ($5::timestamptz IS NULL OR claimed_at >= $5)
       AND ($6::timestamptz IS NULL OR claimed_at < $6) AND ($7::bigint IS NULL OR file_no < $7)
     ORDER BY file_no DESC LIMIT $8`,
    [
      account ?? null,
      state ?? null,
      folder ?? null,
      name ?? null,
      claimedSince ?? null,
      claimedUntil ?? null,
      before ?? null,
      limit + 1,
    ],
  );
  const files = rows.slice(0, limit);
  return { files, next: rows.length > limit ? files.at(-1)?.file_no : undefined };
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
};

/**
 * Returns the files this one was made from, the files made from it, those with the same content, and those that one
 * corrects; at most 100.
 */
export async function readLinkedFiles(ledger: Ledger, fileId: string): Promise<LinkedFile[]> {
  const { rows } = await ledger.pool.query<LinkedFile>(
    `SELECT 'made_from' AS kind, f.file_id AS "fileId", f.name, f.state, r.at, r.rows
     FROM resubmission r JOIN file f USING (file_id) WHERE r.new_file_id = $1
     UNION ALL
     SELECT 'resubmitted_as', r.new_file_id, r.name, f.state, r.at, r.rows
     FROM resubmission r LEFT JOIN file f ON f.file_id = r.new_file_id WHERE r.file_id = $1
     UNION ALL
     SELECT 'duplicate_of', f.file_id, f.name, f.state, f.claimed_at, f.records
     FROM file this JOIN file f ON f.file_id = this.duplicate_of WHERE this.file_id = $1
     UNION ALL
     SELECT 'repeated_by', f.file_id, f.name, f.state, f.claimed_at, f.records FROM file f WHERE f.duplicate_of = $1
     UNION ALL
     SELECT 'corrects', f.file_id, f.name, f.state, u.at, f.records
     FROM upload u JOIN file f ON f.file_id = u.replaces WHERE u.file_id = $1
     UNION ALL
     SELECT 'corrected_by', u.file_id, u.name, f.state, u.at, f.records
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

export type FoundFile = Pick<FileRow, 'file_id' | 'name' | 'account' | 'state' | 'claimed_at'>;

/**
 * Returns files by id, by its first letters (four or more) or by part of the name, newest first. The ledger masks long
 * numbers in names, so the search masks them too.
 */
export async function searchFiles(ledger: Ledger, words: string, limit: number): Promise<FoundFile[]> {
  const { rows } = await ledger.pool.query<FoundFile>(
    `SELECT file_id, name, account, state, claimed_at FROM file
     WHERE strpos(lower(name), lower($2)) > 0 OR strpos(lower(name), lower($4)) > 0 OR ($1 ~ '^[0-9a-z]{4,16}$' AND file_id LIKE $1 || '%')
     ORDER BY file_id = $1 DESC, file_no DESC LIMIT $3`,
    // Dates in names used to be masked, too.
    [words.toLowerCase(), maskName(words), limit, maskText(words)],
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

/** Returns the batches of a file in order, starting at number `from`. */
export async function listBatches(
  ledger: Ledger,
  fileId: string,
  { from, limit }: { from: number; limit: number },
): Promise<ListedBatch[]> {
  const { rows } = await ledger.pool.query<ListedBatch>(
    `SELECT batch_no, state, state_at, reason, attempt, rows, cents, batch_id, submitted_at, result_at
     FROM batch WHERE file_id = $1 AND batch_no >= $2 ORDER BY batch_no LIMIT $3`,
    [fileId, from, limit],
  );
  return rows;
}
