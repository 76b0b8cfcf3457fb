import type { FileState } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../engine/open-ledger.ts';

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
};

export async function readUpload({ pool }: Ledger, uploadNo: number): Promise<UploadRow | undefined> {
  const { rows } = await pool.query<UploadRow>(
    `SELECT u.upload_no, u.account, u.folder, u.name, u.actor, u.at, u.file_id, f.state, f.reason_code
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
