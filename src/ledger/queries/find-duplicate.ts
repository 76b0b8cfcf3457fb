import type { Transaction } from '../transaction.ts';
import type { FileRow } from '../records.ts';

type Earlier = Pick<FileRow, 'file_id' | 'name' | 'claimed_at'>;

/** The file of this account that had the same bytes and was taken, if any (F68). */
export async function findSameContent(tx: Transaction, file: FileRow): Promise<Earlier | undefined> {
  const { rows } = await tx.client.query<Earlier>(
    `SELECT file_id, name, claimed_at FROM file
     WHERE account = $1 AND sha256 = $2 AND file_id <> $3
       AND state IN ('accepted', 'held', 'in_progress', 'completed', 'partly_cancelled')
     ORDER BY file_no LIMIT 1`,
    [file.account, file.sha256, file.file_id],
  );
  return rows[0];
}

/** An earlier file of the same name with other content: a new file, but worth saying. */
export async function findSameName(tx: Transaction, file: FileRow): Promise<Earlier | undefined> {
  const { rows } = await tx.client.query<Earlier>(
    `SELECT file_id, name, claimed_at FROM file
     WHERE account = $1 AND name = $2 AND sha256 <> $3 AND file_id <> $4 ORDER BY file_no DESC LIMIT 1`,
    [file.account, file.name, file.sha256, file.file_id],
  );
  return rows[0];
}
