import type { DueDate } from '../../calendar/business-dates.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import type { Because } from '../engine/move.ts';

/**
 * Move `miss-run`: what should have happened on a business date did not. Written once, so whoever gets `true` is the one
 * to tell a person.
 * @returns false when the date has a row already
 */
export async function missRun(
  ledger: Ledger,
  schedule: string,
  { day, at }: DueDate,
  because: Because,
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

/** Clocks of several hosts differ a little, in ms. */
const AHEAD_MS = 3_600_000;

/**
 * Nothing that is still to come can have been missed; a clock that was set forward has said so, and the date would never have
 * its run. The trail keeps what was said.
 */
export async function forgetEarlyMisses(ledger: Ledger, schedule: string): Promise<void> {
  await ledger.pool.query(`DELETE FROM schedule_run WHERE schedule = $1 AND state = 'missed' AND due_at > $2`, [
    schedule,
    new Date(ledger.clock.now().getTime() + AHEAD_MS),
  ]);
}
