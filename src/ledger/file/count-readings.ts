import type { Ledger } from '../engine/open-ledger.ts';
import type { Queryable } from '../engine/transaction.ts';

/**
 * Records that a reading of files begins, of one or many, before their first byte is read.
 * @returns how many earlier readings of each never came back
 */
export async function beginReading(ledger: Ledger, ...fileIds: readonly string[]): Promise<number[]> {
  const { rows } = await ledger.pool.query<{ fileId: string; begun: number }>(
    `INSERT INTO reading (file_id, begun, worker, at) SELECT file_id, 1, $2, $3 FROM unnest($1::text[]) file_id ORDER BY file_id
     ON CONFLICT (file_id) DO UPDATE
     SET begun = reading.begun + 1, worker = $2, at = $3, checked_rows = NULL, expected_rows = NULL
     RETURNING file_id AS "fileId", begun`,
    [fileIds, ledger.instance.id, ledger.clock.now()],
  );
  const begun = new Map(rows.map((row) => [row.fileId, row.begun]));
  return fileIds.map((fileId) => begun.get(fileId)! - 1);
}

/** Records how far a reading has come: rows checked, and rows that the whole file is expected to have. */
export async function noteProgress(ledger: Ledger, fileId: string, checked: number, expected: number): Promise<void> {
  await ledger.pool.query('UPDATE reading SET checked_rows = $2, expected_rows = $3 WHERE file_id = $1', [
    fileId,
    checked,
    expected,
  ]);
}

/** Takes readings out of the count, because their process survived: an error is not a crash. */
export async function endReading(ledger: Ledger, ...fileIds: readonly string[]): Promise<void> {
  await ledger.pool.query('UPDATE reading SET begun = begun - 1 WHERE file_id = ANY ($1)', [fileIds]);
  await ledger.pool.query('DELETE FROM reading WHERE file_id = ANY ($1) AND begun <= 0', [fileIds]);
}

/** Deletes the counts of files that have their verdict or are out of the way, and so are not read again. */
export async function forgetReadings(asked: Queryable, ...fileIds: readonly string[]): Promise<void> {
  await asked.query('DELETE FROM reading WHERE file_id = ANY ($1)', [fileIds]);
}

/** Returns those of these files of which a reading has begun and not ended. */
export async function findBeingRead({ pool }: Pick<Ledger, 'pool'>, fileIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ fileId: string }>(
    'SELECT file_id AS "fileId" FROM reading WHERE file_id = ANY ($1)',
    [fileIds],
  );
  return new Set(rows.map(({ fileId }) => fileId));
}
