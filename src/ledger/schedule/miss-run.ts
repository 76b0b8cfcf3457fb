import type { DueDate } from '../../calendar/business-dates.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import type { AuditReason } from '../engine/move.ts';

/**
 * Makes the move `miss-run`: what was due on a business date did not happen. It is written once, so the caller that
 * gets `true` reports it.
 * @returns false when the date already has a row
 */
export async function missRun(
  ledger: Ledger,
  schedule: string,
  { day, at }: DueDate,
  because: AuditReason,
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      `INSERT INTO schedule_run (schedule, business_date, state, due_at, finished_at, summary)
       VALUES ($1, $2, 'missed', $3, $4, $5) ON CONFLICT DO NOTHING`,
      [schedule, day, at, tx.at, { says: because.reason }],
    );
    if (!rowCount) return false;
    tx.audit({ ...because, move: 'miss-run', to: 'missed', evidence: { schedule, day } });
    return true;
  });
}

/** How much the clocks of several hosts may differ, in ms. */
const AHEAD_MS = 3_600_000;

/**
 * Deletes misses that lie in the future. A clock that was ahead recorded them, and the date would never get its run.
 * The audit trail keeps the record.
 */
export async function forgetEarlyMisses(ledger: Ledger, schedule: string): Promise<void> {
  await ledger.pool.query(`DELETE FROM schedule_run WHERE schedule = $1 AND state = 'missed' AND due_at > $2`, [
    schedule,
    new Date(ledger.clock.now().getTime() + AHEAD_MS),
  ]);
}
