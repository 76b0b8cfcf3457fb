import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';

/** This many wrong passwords start the first wait; each further one doubles it, up to the longest. */
const FORGIVEN = 5;
const FIRST_WAIT_MS = 30_000;
export const LONGEST_WAIT_MS = 15 * 60_000;

/**
 * Records a wrong password in the ledger, so that it counts in every process. The wait grows but never becomes a lock.
 * A lock would let anyone who knows a name shut its owner out (PCI DSS 8.3.4 asks for at most 10 tries and 30 minutes).
 */
export async function noteFailure(ledger: Ledger, name: string, from: string): Promise<void> {
  await transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<{ failures: number }>(
      'UPDATE person SET failures = failures + 1 WHERE name = $1 AND disabled_at IS NULL RETURNING failures',
      [name],
    );
    const failures = rows[0]?.failures;
    if (failures === undefined) return;
    const waitMs = waitAfter(failures);
    if (waitMs > 0) {
      const until = new Date(tx.at.getTime() + waitMs);
      await tx.client.query('UPDATE person SET locked_until = $2 WHERE name = $1', [name, until]);
    }
    const evidence = { failures, waitSeconds: waitMs / 1_000, from };
    tx.audit({ actor: `operator:${name}`, move: 'log-in-failed', reason: 'wrong password', evidence });
  });
}

/** Returns the wait before the next try after this many wrong passwords, in ms. */
export function waitAfter(failures: number): number {
  if (failures < FORGIVEN) return 0;
  return Math.min(FIRST_WAIT_MS * 2 ** (failures - FORGIVEN), LONGEST_WAIT_MS);
}
