import { passesLuhn } from '../../kernel/luhn.ts';

/**
 * Checks a card to be stored, the number before the expiry.
 * @param expiry MM/YY; valid until the end of its month
 * @returns the fault, or undefined
 */
export function checkCard(number: string, expiry: string, now: Date): string | undefined {
  if (!/^\d{13,19}$/.test(number) || !passesLuhn(number)) return '0Error:Invalid credit card number';
  return checkExpiry(expiry, now);
}

/** @returns undefined for MM/YY that is not in the past */
export function checkExpiry(expiry: string, now: Date): string | undefined {
  const [, month, year] = /^(0[1-9]|1[0-2])\/(\d\d)$/.exec(expiry)?.map(Number) ?? [];
  if (month === undefined || year === undefined) return INVALID_EXPIRY;
  // `Date.UTC` counts months from 0, so this is the first day of the next month.
  return Date.UTC(2000 + year, month) > now.getTime() ? undefined : INVALID_EXPIRY;
}

const INVALID_EXPIRY = '0Error:Invalid expiry date';
