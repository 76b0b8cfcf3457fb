import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';

/** Records that a user took an output file out of paydrop. */
export async function recordDownload(
  ledger: Ledger,
  { actor, fileId, ...evidence }: { actor: string; fileId: string; kind: string; number: number; name: string },
): Promise<void> {
  await transact(ledger, async (tx) => {
    tx.audit({ actor, fileId, move: 'download', reason: 'asked for', evidence });
  });
}

/**
 * Records that a user took rows of a list out of paydrop.
 * @param taken.filter what selected them
 * @param taken.isWhole whether all of them were handed out
 */
export async function recordExport(
  ledger: Ledger,
  { actor, ...evidence }: { actor: string; list: string; form: string; filter: object; rows: number; isWhole: boolean },
): Promise<void> {
  await transact(ledger, async (tx) => {
    tx.audit({ actor, move: 'export', reason: 'asked for', evidence });
  });
}

/**
 * Records that a user tried what they may not do.
 * @param refused.route pattern of the address, without what the user typed
 */
export async function recordRefusal(
  ledger: Ledger,
  { actor, reason, ...evidence }: { actor: string; reason: string; method: string; route: string; from: string },
): Promise<void> {
  await transact(ledger, async (tx) => {
    tx.audit({ actor, move: 'access-refused', reason, evidence });
  });
}
