import type { Ledger } from '../engine/open-ledger.ts';

/**
 * Whether these files may be read at the same time: none of them is large, and none is being read or was when its reader
 * died. Such a one is read alone, or its next death would be counted to the others too, and they be held for it.
 * @param largeBytes from so many on a file is large
 */
export async function mayOverlap(ledger: Ledger, fileIds: readonly string[], largeBytes: number): Promise<boolean> {
  const { rowCount } = await ledger.pool.query(
    `SELECT FROM file f WHERE file_id = ANY ($1)
       AND (bytes >= $2 OR EXISTS (SELECT FROM reading r WHERE r.file_id = f.file_id)) LIMIT 1`,
    [fileIds, largeBytes],
  );
  return rowCount === 0;
}
