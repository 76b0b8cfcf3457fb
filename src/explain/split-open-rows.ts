import { FINAL_BATCH_STATES } from '../../schemas/lifecycle.ts';
import type { OutcomeTotals, Totals } from '../rows/rows.ts';
import type { BatchRow } from '../ledger/engine/records.ts';

/**
 * Separates rows of open batches from rows that were never sent. The ledger has no outcome for either, but only the
 * latter are certainly not charged. A user who read NOT_SENT for a batch in doubt would pay it again.
 * @param batches read before the outcomes, so that a batch that ends in between does not count as not sent
 */
export function splitOpenRows(
  { not_sent: unsent, ...decided }: OutcomeTotals,
  batches: readonly Pick<BatchRow, 'state' | 'rows' | 'cents'>[],
): { outcomes: OutcomeTotals; open: Totals } {
  const waiting = batches.filter(({ state }) => !(FINAL_BATCH_STATES as readonly string[]).includes(state));
  const open = {
    rows: waiting.reduce((sum, batch) => sum + batch.rows, 0),
    cents: waiting.reduce((sum, batch) => sum + batch.cents, 0),
  };
  const rows = (unsent?.rows ?? 0) - open.rows;
  const cents = (unsent?.cents ?? 0) - open.cents;
  return { outcomes: rows > 0 ? { ...decided, not_sent: { rows, cents } } : decided, open };
}
