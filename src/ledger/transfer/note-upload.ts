import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import type { ClaimedFile } from '../file/claim-file.ts';

/** A file that a user drops on the dashboard, before it is in its folder. */
export type Upload = { account: string; folder: string; name: string; sha256: string; bytes: number; actor: string };

/**
 * Records who made a file, before it can be claimed.
 * @returns its number
 */
export async function noteUpload(ledger: Ledger, upload: Upload): Promise<number> {
  const { account, folder, name, sha256, bytes, actor } = upload;
  return transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<{ upload_no: number }>(
      `INSERT INTO upload (account, folder, name, sha256, bytes, actor, at) VALUES ($1, $2, $3, $4, $5, $6, $7)
       RETURNING upload_no`,
      [account, folder, name, sha256, bytes, actor, tx.at],
    );
    const evidence = { account, folder, sha256, bytes };
    tx.audit({ actor, move: 'drop', reason: 'dropped on the dashboard', evidence });
    return rows[0]!.upload_no;
  });
}

/** Links the newest upload of these bytes to the claimed file; one with the file's name comes first. */
export async function linkUpload(tx: Transaction, file: ClaimedFile): Promise<void> {
  await tx.client.query(
    `UPDATE upload SET file_id = $3 WHERE upload_no = (
       SELECT upload_no FROM upload WHERE account = $1 AND sha256 = $2 AND folder = $4 AND file_id IS NULL
       ORDER BY name = $5 DESC, upload_no DESC LIMIT 1)`,
    [file.account, file.sha256, file.fileId, file.folder, file.name],
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
