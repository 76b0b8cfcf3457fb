import type { FileState } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow } from '../engine/records.ts';

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
       SELECT count(*) AS batches, count(*) FILTER (WHERE state IN ('reconciled', 'cancelled')) AS done
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
