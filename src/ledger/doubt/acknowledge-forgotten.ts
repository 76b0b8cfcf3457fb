import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import type { AuditReason } from '../engine/move.ts';

/**
 * Records that an operator has reviewed the calls that only the send journal knows. The account may then be resumed; a
 * batch of the same bytes stays barred.
 * @returns how many calls were not acknowledged before
 */
export async function acknowledgeForgotten(ledger: Ledger, account: string, because: AuditReason): Promise<number> {
  return transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<{ file_id: string; batch_no: number; attempt: number }>(
      `UPDATE forgotten_send SET acknowledged_at = $2, acknowledged_by = $3
       WHERE account = $1 AND acknowledged_at IS NULL RETURNING file_id, batch_no, attempt`,
      [account, tx.at, because.actor],
    );
    if (rows.length === 0) return 0;
    const sends = rows.map((row) => `${row.file_id}/${row.batch_no} attempt ${row.attempt}`).sort();
    tx.audit({ ...because, move: 'acknowledge', evidence: { account, sends, ...because.evidence } });
    return rows.length;
  });
}
