import type { Ledger } from '../engine/open-ledger.ts';
import { transact, type Transaction } from '../engine/transaction.ts';
import type { AuditReason } from '../engine/move.ts';
import { counted } from '../../kernel/counted.ts';
import { mustBeOpen } from '../admission/close-ledger.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { IS_FORGOTTEN_OF } from './read-holds.ts';

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

/** Why an account was stopped: an operator paused it, or paydrop found a problem. */
export type StopKind = 'pause' | 'journal' | 'fault';

/**
 * Lifts every stop of an account, or the stops on all accounts when it is ALL_ACCOUNTS. A batch in doubt or refused
 * still holds the account until it is resolved.
 * @returns the kinds that were lifted; empty when nothing stopped it
 * @throws PipelineError JOURNAL_AHEAD while the journal knows calls of its merchant that no operator has acknowledged
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
    `SELECT count(*) AS sends FROM forgotten_send WHERE ${IS_FORGOTTEN_OF} AND acknowledged_at IS NULL`,
    [account],
  );
  const sends = rows[0]!.sends;
  if (sends === 0) return;
  throw new PipelineError(
    'JOURNAL_AHEAD',
    `resume account "${account}"`,
    `the send journal knows ${counted(sends, 'call')} that no batch in the ledger explains`,
    {
      next: `See "paydrop account forgotten ${account}", compare with the service's own report, then "paydrop account acknowledge ${account} --reason …".`,
    },
  );
}

/**
 * Records that an operator has reviewed the calls of a merchant that only the send journal knows, under whichever of its
 * names. The account may then be resumed; a batch of the same bytes stays barred.
 * @returns how many calls were not acknowledged before
 */
export async function acknowledgeForgotten(ledger: Ledger, account: string, because: AuditReason): Promise<number> {
  return transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<{ file_id: string; batch_no: number; attempt: number }>(
      `UPDATE forgotten_send SET acknowledged_at = $2, acknowledged_by = $3
       WHERE ${IS_FORGOTTEN_OF} AND acknowledged_at IS NULL RETURNING file_id, batch_no, attempt`,
      [account, tx.at, because.actor],
    );
    if (rows.length === 0) return 0;
    const sends = rows.map((row) => `${row.file_id}/${row.batch_no} attempt ${row.attempt}`).sort();
    tx.audit({ ...because, move: 'acknowledge', evidence: { account, sends, ...because.evidence } });
    return rows.length;
  });
}

/**
 * Orders sends and stops. Without this lock, a send could read that nothing is stopped and commit after a pause had
 * reported that no more submits start. Senders share the lock for the commit that declares a call (`commit_send` in
 * schemas/ledger/send.sql); a stop waits for the senders that hold it.
 *
 * Take it first in a transaction, before any row, to avoid deadlocks.
 */
export async function lockForStop(tx: Transaction): Promise<void> {
  await tx.client.query('SELECT pg_advisory_xact_lock($1, 0)', [STOP_LOCKS]);
}

/** Namespace of this lock, which `commit_send` shares; those of instance.ts, with-lock.ts and others have other numbers. */
const STOP_LOCKS = 7_003;
