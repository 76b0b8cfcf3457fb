import type { OutcomeTotals, Totals } from '../rows/rows.ts';
import { sumTotals } from './read-outcome.ts';

/** The two sides of control total H9. Money is integer cents. */
export type DayTotals = { broughtForward: Totals; accepted: Totals; final: OutcomeTotals; open: Totals };

/**
 * Returns brought forward + accepted - final - open (control total H9). Anything but zero rows and zero cents means that
 * rows were lost or created, or the ledger was changed.
 */
export function balanceDay({ broughtForward, accepted, final, open }: DayTotals): Totals {
  const ended = sumTotals(final);
  return {
    rows: broughtForward.rows + accepted.rows - ended.rows - open.rows,
    cents: broughtForward.cents + accepted.cents - ended.cents - open.cents,
  };
}

export function isBalanced(day: DayTotals): boolean {
  const { rows, cents } = balanceDay(day);
  return rows === 0 && cents === 0;
}
