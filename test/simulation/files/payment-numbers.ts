import { passesLuhn } from '../../../src/kernel/luhn.ts';
import type { Choose } from '../choose.ts';

/** Prefix and length of card numbers, by method of payment. */
const CARDS: Readonly<Record<string, { start: string; length: number }>> = {
  VISA: { start: '4', length: 16 },
  MC: { start: '54', length: 16 },
  AMX: { start: '37', length: 15 },
  DSC: { start: '6011', length: 16 },
  MAESTR: { start: '6759', length: 16 },
};

/** Makes a random number with the right check digit: no real card, but the form of one. */
export function newCardNumber(choose: Choose, mop: string): string {
  const { start, length } = CARDS[mop]!;
  const body = start + choose.digits(length - start.length - 1);
  const check = Array.from({ length: 10 }, (_, digit) => String(digit)).find((digit) => passesLuhn(body + digit));
  return body + check!;
}

/** Makes a routing number with a right check digit and an account, 26 digits in all; seldom a short number. */
export function newAccountNumber(choose: Choose): string {
  return choose.happens(0.1) ? `8${choose.digits(choose.between(3, 7))}` : `021000021${choose.digits(17)}`;
}

/** Returns whether a number is long enough to search for; a shorter one may occur by chance. */
export function isTelling(number: string): boolean {
  return number.length >= 12;
}
