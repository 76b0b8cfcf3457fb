import type { Ledger } from '../engine/open-ledger.ts';
import type { Queryable } from '../engine/transaction.ts';

/**
 * Records that a reading of a file begins, before its first byte is read.
 * @returns how many earlier readings never came back
 */
export async function beginReading(ledger: Ledger, fileId: string): Promise<number> {
  const { rows } = await ledger.pool.query<{ begun: number }>(
    `INSERT INTO reading (file_id, begun, worker, at) VALUES ($1, 1, $2, $3)
     ON CONFLICT (file_id) DO UPDATE
     SET begun = reading.begun + 1, worker = $2, at = $3, checked_rows = NULL, expected_rows = NULL RETURNING begun`,
    [fileId, ledger.instance.id, ledger.clock.now()],
  );
  return rows[0]!.begun - 1;
}

/** Records how far a reading has come: rows checked, and rows that the whole file is expected to have. */
export async function noteProgress(ledger: Ledger, fileId: string, checked: number, expected: number): Promise<void> {
  await ledger.pool.query('UPDATE reading SET checked_rows = $2, expected_rows = $3 WHERE file_id = $1', [
    fileId,
    checked,
    expected,
  ]);
}

/** Takes a reading out of the count, because its process survived: an error is not a crash. */
export async function endReading(ledger: Ledger, fileId: string): Promise<void> {
  await ledger.pool.query('UPDATE reading SET begun = begun - 1 WHERE file_id = $1', [fileId]);
  await ledger.pool.query('DELETE FROM reading WHERE file_id = $1 AND begun <= 0', [fileId]);
}

/** Deletes the count of a file that has its verdict or is out of the way, and so is not read again. */
export async function forgetReadings(asked: Queryable, fileId: string): Promise<void> {
  await asked.query('DELETE FROM reading WHERE file_id = $1', [fileId]);
}

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
