import type { Transaction } from '../engine/transaction.ts';

/**
 * Lets only one intake per account compare its file with others and decide, until its transaction ends. Otherwise two
 * simultaneous files with the same rows would not see each other, and both be accepted.
 */
export async function lockDecisions(tx: Transaction, account: string): Promise<void> {
  await tx.client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [DECISION_LOCKS, account]);
}

/** Namespace of these locks, distinct from all others. */
const DECISION_LOCKS = 7_004;
