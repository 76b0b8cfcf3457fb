import type { OutcomeTotals, Totals } from '../rows/rows.ts';
import { sumTotals } from './reconcile-rows.ts';

/** The two sides of control total H9. Money is integer cents. */
export type DayTotals = { broughtForward: Totals; accepted: Totals; final: OutcomeTotals; open: Totals };

/**
 * Brought forward + accepted - final - open (H9). Nothing else than zero rows and zero cents is right: rows were lost or
 * made on the way, or somebody changed the ledger.
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
