import type { FolderOperation } from '../../schemas/operations.ts';
import type { OutcomeTotals, ReconciledRow, RowResult, SentRow, Totals } from '../rows/rows.ts';
import { keptMessage } from './kept-message.ts';
import { readOutcome } from './read-outcome.ts';

/** Gives each matched row its outcome and adds totals per outcome, for the conservation check (control total H7). */
export function reconcileRows(
  operation: FolderOperation,
  pairs: readonly { sent: SentRow; result: RowResult }[],
): { rows: ReconciledRow[]; totals: OutcomeTotals } {
  const totals: OutcomeTotals = {};
  const rows = pairs.map(({ sent, result }) => {
    const { outcome, code, authorization } = readOutcome(operation, result.message, result.endsOpen);
    totals[outcome] = addTotals(totals[outcome] ?? NOTHING, { rows: 1, cents: sent.amountCents });
    return { line: sent.line, outcome, code, message: keptMessage(result.message), authorization };
  });
  return { rows, totals };
}

/** Returns the sum over all outcomes. Unless it equals what was sent, money was created or lost. */
export function sumTotals(totals: OutcomeTotals): Totals {
  return Object.values(totals).reduce(addTotals, NOTHING);
}

const NOTHING: Totals = { rows: 0, cents: 0 };

function addTotals(left: Totals, right: Totals): Totals {
  return { rows: left.rows + right.rows, cents: left.cents + right.cents };
}
