import { PipelineError } from './errors.ts';

/**
 * Money is integer cents inside paydrop and decimal text at its edges. Floating point never touches an amount: text is
 * split at the point and the digits are read as integers.
 */

/** 90 million of the currency: a million such rows still add up to an exact integer. */
export const LARGEST_CENTS = 9_000_000_000;

export type AmountFault = 'AMOUNT_FORMAT' | 'AMOUNT_LIMIT';

/** Largest total in cents that is an exact integer, for sums over a file. */
export const LARGEST_TOTAL_CENTS = Number.MAX_SAFE_INTEGER;

/**
 * Reads canonical decimal text: `-?digits` with up to two decimals, and no other sign, grouping or exponent.
 * @param largestCents limit of the absolute value: by default that of a single payment, for totals at most
 *   LARGEST_TOTAL_CENTS, above which digits would be lost
 * @returns cents, or the fault code
 */
export function parseAmount(text: string, largestCents = LARGEST_CENTS): number | AmountFault {
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(text);
  if (!match) return 'AMOUNT_FORMAT';
  const [, sign, whole = '', decimals = ''] = match;
  const cents = Number(whole) * 100 + Number(decimals.padEnd(2, '0'));
  if (cents > largestCents) return 'AMOUNT_LIMIT';
  return sign === '-' && cents !== 0 ? -cents : cents;
}

/**
 * Formats cents as decimal text: 2500 -> "25.00", -5 -> "-0.05".
 * @throws PipelineError INTERNAL for anything but an exact integer, because writing it would invent money
 */
export function formatCents(cents: number): string {
  const reason = 'it is not a whole number of cents, or too large to be exact';
  if (!Number.isSafeInteger(cents)) throw new PipelineError('INTERNAL', 'write an amount', reason);
  const size = Math.abs(cents);
  const decimals = size % 100;
  return `${cents < 0 ? '-' : ''}${(size - decimals) / 100}.${decimals < 10 ? '0' : ''}${decimals}`;
}
