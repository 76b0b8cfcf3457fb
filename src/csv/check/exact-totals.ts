import type { Totals } from '../../rows/rows.ts';

/**
 * Counts rows and adds up cents. It refuses any amount that would make the sum inexact.
 * @param largestCents limit of the absolute value of the sum
 */
export function exactTotals(largestCents: number) {
  let rows = 0;
  let cents = 0;

  /** Returns whether the sum stays exact with this amount. */
  function takes(amountCents: number): boolean {
    return Math.abs(cents + amountCents) <= largestCents;
  }

  /** @returns whether the amount was added */
  function add(amountCents: number): boolean {
    if (!takes(amountCents)) return false;
    rows += 1;
    cents += amountCents;
    return true;
  }

  return { takes, add, sum: (): Totals => ({ rows, cents }) };
}
