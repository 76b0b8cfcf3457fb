import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import type { AuditReason } from '../engine/move.ts';
import { lockForStop } from './stop-lock.ts';

/** Account name that stands for all accounts. */
export const ALL_ACCOUNTS = '*';

/**
 * Pauses an account, or all of them, until an operator resumes it. Once this returns, no process starts another submit;
 * calls already started run to their end.
 * @returns false when it is already paused; that pause stays as it is
 */
export async function pauseAccount(ledger: Ledger, account: string, because: AuditReason): Promise<boolean> {
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
