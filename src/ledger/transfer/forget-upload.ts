import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';

/**
 * Takes back the note of an upload whose file did not get into its folder. Were it left, the next file with these bytes,
 * whoever dropped it, would count as made by this person.
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
