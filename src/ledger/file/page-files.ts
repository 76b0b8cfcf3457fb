import type { FileState } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { PlainFileRow } from '../engine/records.ts';

/** Which files to return; a field left out matches any. */
export type FileFilter = {
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
  { account, state, folder, name, claimedSince, claimedUntil }: FileFilter,
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
