import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import type { Because } from '../engine/move.ts';

/**
 * A person has looked at what the send journal knows and the ledger does not. The account may be resumed after it; a
 * batch of the same bytes stays barred all the same.
 * @returns how many calls were new to a person
 */
export async function acknowledgeForgotten(ledger: Ledger, account: string, because: Because): Promise<number> {
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
