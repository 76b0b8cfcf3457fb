import type { JournalLine } from '../../gateway/reports/report-answers.ts';
import type { RowFinding, SentRow } from '../../rows/rows.ts';
import { findSentElsewhere } from '../../ledger/doubt/in-doubt.ts';
import type { ResolutionContext } from './resolution-context.ts';
import { looseInvoice, matchJournal } from './match-journal.ts';

/**
 * Returns what the lines of a report say about each row of a batch, given everything else that the account has sent.
 * @param sent all rows of the batch: one row explains lines that could be mistaken for another
 */
export async function findInReport(
  { ledger, batch }: Pick<ResolutionContext, 'ledger' | 'batch'>,
  sent: readonly SentRow[],
  lines: readonly JournalLine[],
  calledAt: Date,
): Promise<RowFinding[]> {
  const loose = new Set(sent.map((row) => looseInvoice(row.invoice)));
  const near = lines.filter((line) => loose.has(looseInvoice(line.invoice)));
  const invoices = new Set([...sent, ...near].map(({ invoice }) => invoice));
  const others = await findSentElsewhere(ledger, batch, [...invoices]);
  return matchJournal(sent, near, { calledAt, others });
}
