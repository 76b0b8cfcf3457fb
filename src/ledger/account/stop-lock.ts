import type { Transaction } from '../engine/transaction.ts';

/**
 * Orders sends and stops. Without this lock, a send could read that nothing is stopped and commit after a pause had
 * reported that no more submits start. Senders share the lock for one short transaction; a stop waits for the senders
 * that hold it.
 *
 * Take it first in a transaction, before any row, to avoid deadlocks.
 */
export async function lockForSend(tx: Transaction): Promise<void> {
  await tx.client.query('SELECT pg_advisory_xact_lock_shared($1, 0)', [STOP_LOCKS]);
}

export async function lockForStop(tx: Transaction): Promise<void> {
  await tx.client.query('SELECT pg_advisory_xact_lock($1, 0)', [STOP_LOCKS]);
}

/** Namespace of this lock, distinct from those of instance.ts and with-lock.ts. */
const STOP_LOCKS = 7_003;
