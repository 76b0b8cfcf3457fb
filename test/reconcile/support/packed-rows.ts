import type { SentOutcome } from '../../../schemas/lifecycle.ts';
import { NO_CODE, OUTCOME_NAMES, type PackedOutcomes } from '../../../src/rows/packed-outcomes.ts';
import type { ReconciledRow, SentRow } from '../../../src/rows/rows.ts';
import type { SentText } from '../../../src/rows/sent-text.ts';

/** Returns sent rows as one text, as the ledger gives them. */
export function sentTextOf(rows: readonly SentRow[]): SentText {
  const lines = rows.map(
    ({ line, invoice, customerCode, amountCents, lastFour }) =>
      `${[line, invoice, customerCode, amountCents, lastFour].join(',')}\n`,
  );
  return { rows: rows.length, bytes: Buffer.from(lines.join('')) };
}

/** Unpacks outcomes into objects. */
export function unpackOutcomes({ rows, lines, outcomes, codes, texts, ends }: PackedOutcomes): ReconciledRow[] {
  const text = (index: number) => texts.toString('utf8', index === 0 ? 0 : ends[index - 1], ends[index]);
  return Array.from({ length: rows }, (_, row) => ({
    line: lines[row]!,
    outcome: OUTCOME_NAMES[outcomes[row]!] as SentOutcome,
    code: codes[row] === NO_CODE ? null : codes[row]!,
    message: text(2 * row),
    authorization: text(2 * row + 1),
  }));
}
