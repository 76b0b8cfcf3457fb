import { counted } from '../../kernel/counted.ts';
import { mustBeOpen } from '../admission/must-be-open.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import type { AuditReason } from '../engine/move.ts';

/** Why an account was stopped: an operator paused it, or paydrop found a problem. */
export type StopKind = 'pause' | 'journal' | 'fault';

/**
 * Lifts every stop of an account, or the stops on all accounts when it is ALL_ACCOUNTS. A batch in doubt or refused
 * still holds the account until it is resolved.
 * @returns the kinds that were lifted; empty when nothing stopped it
 * @throws PipelineError JOURNAL_AHEAD while the journal knows calls of the account that no operator has acknowledged
 */
export async function resumeAccount(ledger: Ledger, account: string, because: AuditReason): Promise<StopKind[]> {
  return transact(ledger, async (tx) => {
    await mustBeOpen(tx);
    const { rows } = await tx.client.query<{ kind: StopKind }>(
      'DELETE FROM account_stop WHERE account = $1 RETURNING kind',
      [account],
    );
    const kinds = rows.map((row) => row.kind).sort();
    if (kinds.includes('journal')) await refuseUnlooked(tx, account);
    if (kinds.length > 0)
      tx.audit({ ...because, move: 'resume-account', evidence: { account, kinds, ...because.evidence } });
    return kinds;
  });
}

async function refuseUnlooked(tx: Transaction, account: string): Promise<void> {
  const { rows } = await tx.client.query<{ sends: number }>(
    'SELECT count(*) AS sends FROM forgotten_send WHERE account = $1 AND acknowledged_at IS NULL',
    [account],
  );
  const sends = rows[0]!.sends;
  if (sends === 0) return;
  throw new PipelineError(
    'JOURNAL_AHEAD',
    `resume account "${account}"`,
    `the send journal knows ${counted(sends, 'call')} that no batch of the ledger can answer for`,
    {
      next: `See "paydrop account forgotten ${account}", compare with the service's own report, then "paydrop account acknowledge ${account} --reason …".`,
    },
  );
}
