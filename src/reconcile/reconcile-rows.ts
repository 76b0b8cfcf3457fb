import type { FolderOperation } from '../../schemas/operations.ts';
import { maskText } from '../kernel/mask.ts';
import type { OutcomeTotals, ReconciledRow, RowResult, SentRow, Totals } from '../kernel/rows.ts';
import { readOutcome } from './read-outcome.ts';

/** Gives each matched row its outcome. Totals per outcome come with it, for the conservation check (H7). */
export function reconcileRows(
  operation: FolderOperation,
  pairs: readonly { sent: SentRow; result: RowResult }[],
): { rows: ReconciledRow[]; totals: OutcomeTotals } {
  const totals: OutcomeTotals = {};
  const rows = pairs.map(({ sent, result }) => {
    const { outcome, code, authorization } = readOutcome(operation, result.message);
    totals[outcome] = addTotals(totals[outcome] ?? NOTHING, { rows: 1, cents: sent.amountCents });
    return { line: sent.line, outcome, code, message: keptMessage(result.message), authorization };
  });
  return { rows, totals };
}

/** Sum over all outcomes; equal to what was sent, or money was made or lost on the way. */
export function sumTotals(totals: OutcomeTotals): Totals {
  return Object.values(totals).reduce(addTotals, NOTHING);
}

const NOTHING: Totals = { rows: 0, cents: 0 };

function addTotals(left: Totals, right: Totals): Totals {
  return { rows: left.rows + right.rows, cents: left.cents + right.cents };
}

/** Longer than any message seen; the whole text stays in the sealed result. */
const LONGEST_MESSAGE = 200;

/**
 * The service's text as the ledger keeps it and people read it. A text that nobody has seen before may quote the row
 * with its number, and PostgreSQL takes no NUL: the batch could then never be reconciled.
 */
function keptMessage(message: string): string {
  return maskText(message.replace(/\p{Cc}/gu, ' ').trim()).slice(0, LONGEST_MESSAGE);
}
