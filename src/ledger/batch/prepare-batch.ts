import { randomUUID } from 'node:crypto';
import type { Sender } from '../admission/admit.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';
import { type Transaction, transact, violates } from '../engine/transaction.ts';
import { hasCome } from './conditions.ts';
import { boundKeys } from '../merchant/bound-accounts.ts';
import { type BatchKey, moveBatch } from '../engine/move.ts';

/** A batch held by this worker. Only the holder of the token may send it, for the opening of its sender. */
export type Prepared = BatchRow & { token: string; sender: Sender };

/**
 * Move `prepare`, the gate: at most one worker gets a batch. The ledger must be open for this host and mean by the account
 * what this process means, the file be accepted and the account not stopped. No batch of the account may be in doubt, refused or earlier in line, and no other call
 * in flight. A unique index enforces the last condition, even between simultaneous workers.
 * @returns the batch, or undefined when the gate is closed; the process that opens it checks for work again
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
          // The lease runs by the database clock, which all workers share.
          compute: { sql: "lease_until = clock_timestamp() + $1 * interval '1 millisecond'", values: [leaseMs] },
          where: { sql: GATE, values: [tx.at, sender.journal, sender.epoch, boundKeys(ledger)] },
        },
      );
      return row && { ...row, token, sender };
    };
    // Nothing leaves before `send` is on disk, and that commit brings this one with it.
    return await transact(ledger, take, { isFollowed: true });
  } catch (error) {
    if (violates(error, 'one_call_in_flight')) return undefined;
    throw error;
  }
}

/**
 * SQL condition on `batch` under which its account may send at all. Its file is wanted, neither the account nor all
 * accounts are stopped, and the batch was not in a forgotten call. No batch of the account is in doubt or refused.
 * Defined in schemas/ledger/gate.sql.
 *
 * `paid_since` is compared here, on the row that is updated: after a wait for the transaction that set it, PostgreSQL
 * looks at the row again, and at nothing else (double-charges.ts).
 */
export const MAY_LEAVE = 'batch.paid_since IS NULL AND may_leave(batch.account, batch.file_id, batch.body_sha256)';

/**
 * Returns the SQL condition on `batch` under which its account means to this process what it means to the ledger: the
 * merchant, country and currency for which its file was taken.
 * @param keys SQL of boundKeys
 */
export const isBound = (keys: string) => `is_bound(batch.account, ${keys})`;

/** Longest wait between tries that never reached the service, in ms. */
export const LONGEST_RELEASE_MS = 300_000;

const GATE = `is_admitted($2, $3) AND ${isBound('$4')} AND (not_before IS NULL OR ${hasCome('not_before', '$1', LONGEST_RELEASE_MS)}) AND ${MAY_LEAVE} AND NOT is_calling(batch.account)
  AND (batch.file_id, batch.batch_no) = (SELECT next.file_id, next.batch_no FROM next_to_send(batch.account) next)`;

/** Returns the wait between tries that never reached the service: 1 s, doubling, at most 5 minutes. */
export function releaseDelayMs(releases: number): number {
  return Math.min(1_000 * 2 ** Math.min(releases, 10), LONGEST_RELEASE_MS);
}

/** Column values of a batch that no worker holds. */
export const NOBODY = { token: null, worker: null, lease_until: null } as const;

/** Returns column values that make a batch wait longer after each try that never reached the service. */
export function waitingLonger(tx: Transaction, { releases }: Prepared) {
  return { releases: releases + 1, not_before: new Date(tx.at.getTime() + releaseDelayMs(releases)) };
}

/** Move `release`: nothing was written. The batch waits longer each time, to spare a dead service. */
export async function releaseBatch(ledger: Ledger, batch: Prepared, reason: string): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const row = await moveBatch(
      tx,
      'release',
      { fileId: batch.file_id, batchNo: batch.batch_no },
      { actor: 'worker:submit', reason },
      {
        set: { ...NOBODY, ...waitingLonger(tx, batch) },
        where: { sql: 'token = $1', values: [batch.token] },
      },
    );
    return row !== undefined;
  });
}

/** Stops an account, for example when a body does not match its rows. The batch stays where it is. */
export async function stopAccount(ledger: Ledger, account: string, reason: string): Promise<void> {
  await transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      'INSERT INTO account_stop (account, reason, since) VALUES ($1, $2, $3) ON CONFLICT (account, kind) DO NOTHING',
      [account, reason, tx.at],
    );
    if (rowCount) tx.audit({ actor: 'system', move: 'stop-account', reason, evidence: { account } });
  });
}
