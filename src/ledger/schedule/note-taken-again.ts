import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import type { AuditReason } from '../engine/move.ts';

/** Records that a user had a schedule's folders scanned again. It is not a move: the run of the date stays as it is. */
export async function noteTakenAgain(ledger: Ledger, schedule: string, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    tx.audit({ ...because, move: 'take-again', evidence: { ...because.evidence, schedule } });
  });
}
