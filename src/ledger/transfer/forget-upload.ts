import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';

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
