import type { FileState } from '../../../schemas/lifecycle.ts';
import type { FileRow } from '../engine/records.ts';
import type { Transaction } from '../engine/transaction.ts';
import { CERTAINLY_NOT_CHARGED, mayBeCharged } from './may-be-charged.ts';

export type Earlier = Pick<FileRow, 'file_id' | 'name' | 'claimed_at'>;

/** An earlier file of the same bytes, and what became of it. */
export type SameContent = Earlier & Pick<FileRow, 'invalid_rows'> & { state: FileState; mayBeCharged: boolean };

/**
 * The file of this account that had the same bytes and was taken, if any. Of what is encrypted the bytes inside
 * count as well, also against files that came as they are.
 * @param inside SHA-256 of what is inside; left out, of the bytes that came
 */
export async function findSameContent(
  tx: Transaction,
  file: Pick<FileRow, 'file_id' | 'account' | 'sha256'>,
  inside: string = file.sha256,
): Promise<SameContent | undefined> {
  const { rows } = await tx.client.query<SameContent>(
    `SELECT file_id, name, claimed_at, state, invalid_rows, ${mayBeCharged('$5')} AS "mayBeCharged" FROM file
     WHERE account = $1 AND (sha256 = $2 OR coalesce(content_sha256, sha256) = $4) AND file_id <> $3
       AND state IN ('accepted', 'held', 'in_progress', 'completed', 'partly_cancelled')
     ORDER BY file_no LIMIT 1`,
    [file.account, file.sha256, file.file_id, inside, CERTAINLY_NOT_CHARGED],
  );
  return rows[0];
}

/** An earlier file of the same name with other content: a new file, but worth saying. */
export async function findSameName(
  tx: Transaction,
  file: Pick<FileRow, 'file_id' | 'account' | 'name' | 'sha256'>,
): Promise<Earlier | undefined> {
  const { rows } = await tx.client.query<Earlier>(
    `SELECT file_id, name, claimed_at FROM file
     WHERE account = $1 AND name = $2 AND sha256 <> $3 AND file_id <> $4 ORDER BY file_no DESC LIMIT 1`,
    [file.account, file.name, file.sha256, file.file_id],
  );
  return rows[0];
}

/**
 * The file of this account with the same rows in whatever order and spelling. One of which certainly nothing was
 * charged does not count: its rows may be sent once more.
 * @param rowSet mark of the rows, see crypto/fingerprints/row-set.ts
 */
export async function findSameRows(
  tx: Transaction,
  file: Pick<FileRow, 'file_id' | 'account'>,
  rowSet: string,
): Promise<Earlier | undefined> {
  const { rows } = await tx.client.query<Earlier>(
    `SELECT file_id, name, claimed_at FROM file JOIN file_secret USING (file_id)
     WHERE account = $1 AND row_set = $2 AND file_id <> $3 AND ${mayBeCharged('$4')} ORDER BY file_no LIMIT 1`,
    [file.account, rowSet, file.file_id, CERTAINLY_NOT_CHARGED],
  );
  return rows[0];
}

/**
 * The file of this account and operation that was taken since a moment and has as many valid rows with the same total
; again only if something of it may be charged.
 */
export async function findSameTotals(
  tx: Transaction,
  file: Pick<FileRow, 'file_id' | 'account' | 'operation'>,
  valid: { rows: number; cents: number; since: Date },
): Promise<Earlier | undefined> {
  const { rows } = await tx.client.query<Earlier>(
    `SELECT file_id, name, claimed_at FROM file
     WHERE account = $1 AND operation = $2 AND claimed_at >= $3 AND valid_rows = $4 AND valid_cents = $5
       AND file_id <> $6 AND ${mayBeCharged('$7')} ORDER BY file_no LIMIT 1`,
    [file.account, file.operation, valid.since, valid.rows, valid.cents, file.file_id, CERTAINLY_NOT_CHARGED],
  );
  return rows[0];
}
