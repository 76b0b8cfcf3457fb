import type { FileState } from '../../../schemas/lifecycle.ts';
import type { FileRow } from '../engine/records.ts';
import type { Transaction } from '../engine/transaction.ts';
import { CERTAINLY_NOT_CHARGED, mayBeCharged } from './may-be-charged.ts';

export type Earlier = Pick<FileRow, 'file_id' | 'name' | 'claimed_at'>;

/** An earlier file with the same bytes, and its state. */
export type SameContent = Earlier & Pick<FileRow, 'invalid_rows'> & { state: FileState; mayBeCharged: boolean };

/**
 * Finds the file of this account with the same bytes that was taken. For encrypted files, the decrypted bytes count
 * too, also against files that came unencrypted.
 * @param inside SHA-256 of the decrypted bytes; by default, of the bytes received
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

/** Finds an earlier file with the same name and other content: a new file, but worth reporting. */
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
 * Finds the file of this account with the same rows in any order and spelling. A file of which certainly nothing was
 * charged does not count: its rows may be sent again.
 * @param rowSet fingerprint of all rows, see crypto/fingerprints/row-set.ts
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
 * Finds a file of this account and operation claimed since a moment, with the same number of valid rows and the same
 * total. It counts only if some of it may be charged.
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
