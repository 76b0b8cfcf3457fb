import { bankDates } from './bank-dates.ts';
import { fateOf } from './bank-timetable.ts';

/** Stage of a bank charge; `since` is when it got there. */
export type BankState = {
  readonly stage: 'to be sent' | 'pending' | 'accepted' | 'rejected' | 'returned';
  readonly since: Date;
};

/**
 * Returns the present stage of a bank charge. It is not stored, so it follows the clock both ways and survives
 * restarts.
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
