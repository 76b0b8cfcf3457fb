import { passesLuhn } from '../../kernel/luhn.ts';

/**
 * What is wrong with a card that shall be stored, the number before the expiry.
 * @param expiry MM/YY; good until the end of its month
 * @returns undefined when nothing is
 */
export function checkCard(number: string, expiry: string, now: Date): string | undefined {
  if (!/^\d{13,19}$/.test(number) || !passesLuhn(number)) return '0Error:Invalid credit card number';
  return checkExpiry(expiry, now);
}

/** @returns undefined for MM/YY that is not in the past */
export function checkExpiry(expiry: string, now: Date): string | undefined {
  const [, month, year] = /^(0[1-9]|1[0-2])\/(\d\d)$/.exec(expiry)?.map(Number) ?? [];
  if (month === undefined || year === undefined) return INVALID_EXPIRY;
  // Month 12 of a year is January of the next.
  return Date.UTC(2000 + year, month) > now.getTime() ? undefined : INVALID_EXPIRY;
}

const INVALID_EXPIRY = '0Error:Invalid expiry date';
