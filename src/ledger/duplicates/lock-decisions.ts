import type { Transaction } from '../engine/transaction.ts';

/**
 * Lets one intake of an account at a time compare its file with the others and decide, until its transaction ends. Two
 * files with the same rows that come at the same moment would else not see each other, and both be accepted.
 */
export async function lockDecisions(tx: Transaction, account: string): Promise<void> {
  await tx.client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [DECISION_LOCKS, account]);
}

/** Namespace of these locks, apart from the others. */
const DECISION_LOCKS = 7_004;
