import { isAccountNumber } from '../batch/judge-row.ts';
import { type CardCharge, judgeCard } from '../batch/magic-cards.ts';
import type { PaymentKind } from '../customers/customer.ts';

export type JudgedCharge = Omit<CardCharge, 'number' | 'amountCents'> & {
  readonly kind: PaymentKind;
  readonly number: string;
  /** Undefined when it is unreadable. */
  readonly amountCents: number | undefined;
};

/**
 * Judges a single charge as the service does. A bank charge is only received; whether it is paid is known days later.
 * @returns `OK: ...` or `REJECT: n`
 */
export function judgeCharge({ kind, amountCents, ...charge }: JudgedCharge): string {
  const isAmount = amountCents !== undefined && amountCents > 0;
  if (kind === 'bank') {
    if (!isAccountNumber(charge.number)) return 'REJECT: 40';
    return isAmount ? 'OK: 555555:' : NOT_AN_AMOUNT;
  }
  const message = judgeCard({ ...charge, amountCents: amountCents ?? 0 });
  // The service reports a wrong number before a wrong amount.
  return isAmount || message === 'REJECT: 40' ? message : NOT_AN_AMOUNT;
}

/** Assumption: no source shows a charge whose total is unreadable, zero or negative. */
const NOT_AN_AMOUNT = 'REJECT: 5';

/** Returns the books' name for the outcome of a charge or refund. */
export function outcomeOf(kind: PaymentKind, isPaid: boolean): 'declined' | 'approved' | 'accepted_pending' {
  if (!isPaid) return 'declined';
  return kind === 'card' ? 'approved' : 'accepted_pending';
}
