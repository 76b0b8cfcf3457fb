import { randomUUID } from 'node:crypto';
import type { Sender } from '../admission/admit.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';
import { type Transaction, transact, violates } from '../engine/transaction.ts';
import { hasCome } from '../duplicates/has-come.ts';
import { type BatchKey, moveBatch } from '../engine/move.ts';

/** A batch in the hands of this worker. Only the holder of the token may go on to send it, for the opening of its sender. */
export type Prepared = BatchRow & { token: string; sender: Sender };

/**
 * Move `prepare`, the gate: at most one worker gets a batch, and only while the ledger is open for this host, the file is accepted, the account is not
 * stopped, no batch of the account is in doubt or refused, none comes before it, and no other call of the account is in
 * flight. The database holds the last point with a unique index, so two workers at the same moment cannot both pass.
 * @returns the batch, or undefined when the gate is closed: nothing to do, whoever opens it looks again
 */
export async function prepareBatch(ledger: Ledger, key: BatchKey, leaseMs: number): Promise<Prepared | undefined> {
  const token = randomUUID();
  const { sender } = ledger.admitted;
  if (!sender) return undefined;
  try {
    const take = async (tx: Transaction) => {
      const row = await moveBatch(
        tx,
        'prepare',
        key,
        { actor: 'worker:submit', reason: 'taken up for sending', evidence: { worker: ledger.instance.id } },
        {
          set: { token, worker: ledger.instance.id },
          // The lease runs by the clock of the database, the one clock that all workers share.
          compute: { sql: "lease_until = clock_timestamp() + $1 * interval '1 millisecond'", values: [leaseMs] },
          where: { sql: GATE, values: [tx.at, sender.journal, sender.epoch] },
        },
      );
      return row && { ...row, token, sender };
    };
    // Nothing leaves before `send` is on the disk, which brings this one there too.
    return await transact(ledger, take, { isFollowed: true });
  } catch (error) {
    if (violates(error, 'one_call_in_flight')) return undefined;
    throw error;
  }
}

/**
 * Condition on `batch` under which something of its account may leave at all: its file is wanted, nobody stopped the
 * account or all of them, its bytes are not those of a send that the ledger had forgotten, and no batch of the account
 * is in doubt or refused. What it says stands in migrations/0018-gate.sql.
 */
export const MAY_LEAVE = 'may_leave(batch.account, batch.file_id, batch.body_sha256)';

/** Longest wait between tries that never reached the service, in ms. */
export const LONGEST_RELEASE_MS = 300_000;

const GATE = `is_admitted($2, $3) AND (not_before IS NULL OR ${hasCome('not_before', '$1', LONGEST_RELEASE_MS)}) AND ${MAY_LEAVE} AND NOT is_calling(batch.account)
  AND (batch.file_id, batch.batch_no) = (SELECT next.file_id, next.batch_no FROM next_to_send(batch.account) next)`;

/** Waits between tries that never reached the service: 1 s, doubling, at most 5 minutes. */
export function releaseDelayMs(releases: number): number {
  return Math.min(1_000 * 2 ** Math.min(releases, 10), LONGEST_RELEASE_MS);
}

/** Move `release`: nothing was written. The batch waits a little, longer each time, so that a dead service is not hammered. */
export async function releaseBatch(ledger: Ledger, batch: Prepared, reason: string): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const row = await moveBatch(
      tx,
      'release',
      { fileId: batch.file_id, batchNo: batch.batch_no },
      { actor: 'worker:submit', reason },
      {
        set: {
          token: null,
          worker: null,
          lease_until: null,
          releases: batch.releases + 1,
          not_before: new Date(tx.at.getTime() + releaseDelayMs(batch.releases)),
        },
        where: { sql: 'token = $1', values: [batch.token] },
      },
    );
    return row !== undefined;
  });
}

/** A body that is not its rows must never leave; the batch stays where it is and the account stops. */
export async function stopAccount(ledger: Ledger, account: string, reason: string): Promise<void> {
  await transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      'INSERT INTO account_stop (account, reason, since) VALUES ($1, $2, $3) ON CONFLICT (account, kind) DO NOTHING',
      [account, reason, tx.at],
    );
    if (rowCount) tx.audit({ actor: 'system', move: 'stop-account', reason, evidence: { account } });
  });
}
