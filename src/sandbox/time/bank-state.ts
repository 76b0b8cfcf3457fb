import { bankDates } from './bank-dates.ts';
import { fateOf } from './bank-timetable.ts';

/** Where a bank charge is. `since` is when it came there. */
export type BankState = {
  readonly stage: 'to be sent' | 'pending' | 'accepted' | 'rejected' | 'returned';
  readonly since: Date;
};

/**
 * Where a bank charge that was taken is by now. Nothing of it is stored, so it follows the clock
 * forward and back, and is the same after a restart.
 */
export function bankStateOf(takenAt: Date, amountCents: number, now: Date): BankState {
  const { leavesAt, answeredAt, returnedAt } = bankDates(takenAt);
  if (now < leavesAt) return { stage: 'to be sent', since: takenAt };
  if (now < answeredAt) return { stage: 'pending', since: leavesAt };
  const fate = fateOf(amountCents);
  if (fate === 'rejected') return { stage: 'rejected', since: answeredAt };
  if (fate === 'accepted' || now < returnedAt) return { stage: 'accepted', since: answeredAt };
  return { stage: 'returned', since: returnedAt };
}
