import { NO_CUSTOMER_CODE } from '../../../schemas/reports.ts';
import { formatCents } from '../../kernel/money.ts';
import type { JournalEntry } from '../books/journal-entry.ts';
import { csvCell, payersWords, quoteCell } from './csv-cell.ts';
import type { Face } from './face.ts';

/** Returns the report of a time range. Assumption: the order of the titles from the fourth on. */
export function rangeCsv(entries: readonly JournalEntry[], face: Face): string {
  const titles = face.hasBankReference ? [...TITLES, 'ACH Ref.'] : TITLES;
  const rows = entries.map((entry) => cellsOf(entry, face));
  return [titles, ...rows].map((cells) => `${cells.join(',')}\r\n`).join('');
}

const TITLES = [
  'Transaction ID',
  'Invoice Number',
  'Date Time',
  'Client Code',
  'Customer Code',
  'Method of Payment',
  'Amount',
  'Result',
  'Comment',
  'Journal Id',
] as const;

function cellsOf(entry: JournalEntry, face: Face): string[] {
  const cells = [
    entry.transactionId,
    csvCell(entry.invoice),
    face.writeTime(new Date(entry.at)),
    csvCell(entry.account),
    quoteCell(entry.customerCode || NO_CUSTOMER_CODE),
    csvCell(entry.method === 'bank' ? 'ACHEFT' : payersWords(entry.payment)),
    formatCents(entry.amountCents),
    csvCell(entry.result),
    quoteCell(payersWords(entry.comment)),
    journalIdOf(entry),
  ];
  return face.hasBankReference ? [...cells, ''] : cells;
}

/** Returns a number that no other payment has, because a known client stores lines by it. */
function journalIdOf({ transactionId }: JournalEntry): string {
  return transactionId === '' ? '' : String(Number.parseInt(transactionId, 16));
}
