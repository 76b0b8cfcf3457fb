import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';

/** Stops an account, for example when a body does not match its rows. Its batches stay where they are. */
export async function stopAccount(ledger: Ledger, account: string, reason: string): Promise<void> {
  await transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      'INSERT INTO account_stop (account, reason, since) VALUES ($1, $2, $3) ON CONFLICT (account, kind) DO NOTHING',
      [account, reason, tx.at],
    );
    if (rowCount) tx.audit({ actor: 'system', move: 'stop-account', reason, evidence: { account } });
  });
}
