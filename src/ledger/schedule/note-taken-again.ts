import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import type { Because } from '../engine/move.ts';

/** A person had the folders of a schedule looked at once more. No move: the run of the date stays as it is. */
export async function noteTakenAgain(ledger: Ledger, schedule: string, because: Because): Promise<void> {
  await transact(ledger, async (tx) => {
    tx.audit({ ...because, move: 'take-again', evidence: { ...because.evidence, schedule } });
  });
}
