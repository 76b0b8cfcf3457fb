import type { Ledger } from '../engine/open-ledger.ts';

/**
 * Returns whether these files may be read at the same time. None may be large, being read, or left by a reader that
 * died. Such a file is read alone: its next crash would count against the others too, and they would be held.
 * @param largeBytes size from which a file is large
 */
export async function mayOverlap(ledger: Ledger, fileIds: readonly string[], largeBytes: number): Promise<boolean> {
  const { rowCount } = await ledger.pool.query(
    `SELECT FROM file f WHERE file_id = ANY ($1)
       AND (bytes >= $2 OR EXISTS (SELECT FROM reading r WHERE r.file_id = f.file_id)) LIMIT 1`,
    [fileIds, largeBytes],
  );
  return rowCount === 0;
}
