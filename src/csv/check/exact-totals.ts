import type { Totals } from '../../rows/rows.ts';

/**
 * Adds up rows and cents, and takes no amount that would carry the sum beyond what is exact.
 * @param largestCents limit of the absolute value of the sum
 */
export function exactTotals(largestCents: number) {
  let rows = 0;
  let cents = 0;

  /** Whether the sum stays exact with this amount. */
  function takes(amountCents: number): boolean {
    return Math.abs(cents + amountCents) <= largestCents;
  }

  /** @returns whether the amount was taken */
  function add(amountCents: number): boolean {
    if (!takes(amountCents)) return false;
    rows += 1;
    cents += amountCents;
    return true;
  }

  return { takes, add, sum: (): Totals => ({ rows, cents }) };
}
