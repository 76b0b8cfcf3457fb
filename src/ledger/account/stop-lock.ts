import type { Transaction } from '../engine/transaction.ts';

/**
 * Puts sends and stops in an order. Without it a send could read that nothing is stopped, the pause could commit and
 * tell its person that nothing begins any more, and the send would commit after it. Senders hold it side by side, for
 * one short transaction; whoever stops waits for those that have begun.
 *
 * Taken first in a transaction, before any row, so that nobody waits in a circle over it.
 */
export async function lockForSend(tx: Transaction): Promise<void> {
  await tx.client.query('SELECT pg_advisory_xact_lock_shared($1, 0)', [STOP_LOCKS]);
}

export async function lockForStop(tx: Transaction): Promise<void> {
  await tx.client.query('SELECT pg_advisory_xact_lock($1, 0)', [STOP_LOCKS]);
}

/** Namespace of this lock, apart from those of instance.ts and with-lock.ts. */
const STOP_LOCKS = 7_003;
