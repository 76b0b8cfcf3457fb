import { passesLuhn } from '../../../src/kernel/luhn.ts';
import type { Choose } from '../choose.ts';

/** How card numbers begin, by method of payment, and how long they are here. */
const CARDS: Readonly<Record<string, { start: string; length: number }>> = {
  VISA: { start: '4', length: 16 },
  MC: { start: '54', length: 16 },
  AMX: { start: '37', length: 15 },
  DSC: { start: '6011', length: 16 },
  MAESTR: { start: '6759', length: 16 },
};

/** A number that no other row has and that has the right check digit: no real card, but the form of one. */
export function newCardNumber(choose: Choose, mop: string): string {
  const { start, length } = CARDS[mop]!;
  const body = start + choose.digits(length - start.length - 1);
  const check = Array.from({ length: 10 }, (_, digit) => String(digit)).find((digit) => passesLuhn(body + digit));
  return body + check!;
}

/** A bank account of 26 digits behind a routing number with a right check digit; seldom one that is short. */
export function newAccountNumber(choose: Choose): string {
  return choose.happens(0.1) ? `8${choose.digits(choose.between(3, 7))}` : `021000021${choose.digits(17)}`;
}

/** Only numbers this long are searched for: a shorter one may stand somewhere by chance. */
export function isTelling(number: string): boolean {
  return number.length >= 12;
}
