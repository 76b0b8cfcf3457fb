import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import type { Because } from '../engine/move.ts';
import { lockForStop } from './stop-lock.ts';

/** In the place of an account: all of them. */
export const ALL_ACCOUNTS = '*';

/**
 * Pauses an account, or all of them. When this returns no submit begins any more, in any process; calls that have begun
 * go on to their end. It lasts until somebody resumes the account.
 * @returns false when it is paused already; that pause stays as it is
 */
export async function pauseAccount(ledger: Ledger, account: string, because: Because): Promise<boolean> {
  return transact(ledger, async (tx) => {
    await lockForStop(tx);
    const { rowCount } = await tx.client.query(
      `INSERT INTO account_stop (account, kind, reason, actor, since) VALUES ($1, 'pause', $2, $3, $4)
       ON CONFLICT (account, kind) DO NOTHING`,
      [account, because.reason, because.actor, tx.at],
    );
    if (rowCount === 0) return false;
    tx.audit({ ...because, move: 'pause-account', evidence: { account, ...because.evidence } });
    return true;
  });
}
