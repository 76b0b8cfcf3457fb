import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { transact, type Transaction } from '../engine/transaction.ts';
import type { ClaimedFile } from './claim-file.ts';
import type { FileState } from '../../../schemas/lifecycle.ts';

/** A file that a user drops on the dashboard, before it is in its folder. */
export type Upload = {
  account: string;
  folder: string;
  name: string;
  sha256: string;
  bytes: number;
  actor: string;
  /** Id of the file that this one corrects. */
  replaces?: string | undefined;
};

/**
 * Records who made a file, before it can be claimed.
 * @returns its number
 */
export async function noteUpload(ledger: Ledger, upload: Upload): Promise<number> {
  const { account, folder, name, sha256, bytes, actor, replaces } = upload;
  return transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<{ upload_no: number }>(
      `INSERT INTO upload (account, folder, name, sha256, bytes, actor, at, replaces)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING upload_no`,
      [account, folder, name, sha256, bytes, actor, tx.at, replaces ?? null],
    );
    const evidence = { account, folder, sha256, bytes, ...(replaces !== undefined && { replaces }) };
    tx.audit({ actor, move: 'drop', reason: 'dropped on the dashboard', evidence });
    return rows[0]!.upload_no;
  });
}

/** Links the newest upload of these bytes to the claimed file; one with the file's name comes first. */
export async function linkUpload(tx: Transaction, file: ClaimedFile): Promise<void> {
  await tx.client.query(
    `UPDATE upload SET file_id = $3 WHERE upload_no = (
       SELECT upload_no FROM upload WHERE folder = $1 AND sha256 = $2 AND file_id IS NULL
       ORDER BY name = $4 DESC, upload_no DESC LIMIT 1)`,
    [file.folder, file.sha256, file.fileId, file.name],
  );
}

/**
 * Refuses approval by the user who dropped the file on the dashboard.
 * @throws PipelineError SECOND_PERSON
 */
export async function mustNotBeMaker(tx: Transaction, fileId: string, actor: string): Promise<void> {
  const { rowCount } = await tx.client.query('SELECT 1 FROM upload WHERE file_id = $1 AND actor = $2', [fileId, actor]);
  if (rowCount !== 0)
    throw new PipelineError('SECOND_PERSON', `approve file "${fileId}"`, 'the same person dropped it on the dashboard');
}

/**
 * Deletes the record of an upload whose file did not reach its folder. Otherwise the next file with these bytes would
 * count as made by this user, even if another user dropped it.
 */
export async function forgetUpload(ledger: Ledger, uploadNo: number, actor: string, reason: string): Promise<void> {
  await transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<{ folder: string; sha256: string }>(
      'DELETE FROM upload WHERE upload_no = $1 AND file_id IS NULL RETURNING folder, sha256',
      [uploadNo],
    );
    if (rows[0]) tx.audit({ actor, move: 'drop', reason, evidence: rows[0] });
  });
}

/** A file that was dropped on the dashboard; id and state are null until it is taken from its folder. */
export type UploadRow = {
  upload_no: number;
  account: string;
  folder: string;
  name: string;
  actor: string;
  at: Date;
  file_id: string | null;
  state: FileState | null;
  reason_code: string | null;
  /** Null until its rows are checked; the money is in cents. */
  valid_rows: number | null;
  valid_cents: number | null;
};

export async function readUpload({ pool }: Ledger, uploadNo: number): Promise<UploadRow | undefined> {
  const { rows } = await pool.query<UploadRow>(
    `SELECT u.upload_no, u.account, u.folder, u.name, u.actor, u.at, u.file_id, f.state, f.reason_code,
            f.valid_rows, f.valid_cents
     FROM upload u LEFT JOIN file f ON f.file_id = u.file_id WHERE u.upload_no = $1`,
    [uploadNo],
  );
  return rows[0];
}

/** Returns the last upload of these bytes to the account that was not taken from its folder yet. */
export async function findWaitingUpload(
  { pool }: Ledger,
  account: string,
  sha256: string,
): Promise<Pick<UploadRow, 'name' | 'actor' | 'at'> | undefined> {
  const { rows } = await pool.query<Pick<UploadRow, 'name' | 'actor' | 'at'>>(
    `SELECT name, actor, at FROM upload WHERE account = $1 AND sha256 = $2 AND file_id IS NULL
     ORDER BY upload_no DESC LIMIT 1`,
    [account, sha256],
  );
  return rows[0];
}
