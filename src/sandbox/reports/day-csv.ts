import { NO_CUSTOMER_CODE, type ReportRow } from '../../../schemas/reports.ts';
import { formatCents } from '../../kernel/money.ts';
import type { JournalEntry } from '../books/journal-entry.ts';
import { csvCell, guardNumber, payersWords, quoteCell } from './csv-cell.ts';
import type { Face } from './face.ts';

/**
 * Returns the report of a day. The odd spaces in the titles are the service's. Assumption: the bank titles from the
 * fifth on; only the first four are recorded.
 */
export function dayCsv(method: ReportRow['method'], entries: readonly JournalEntry[], face: Face): string {
  const rows = entries.map((entry) => cellsOf(entry, face).join(','));
  return [TITLES[method], ...rows].map((row) => `${row}\r\n`).join('');
}

const TITLES = {
  card: 'Invoice,Date,Agent,Customer Code,CCType,First Name, Last Name, Card Number, Expire, Total, Result, Detail,Transaction ID',
  bank: 'Invoice,Date,Agent,Customer Code,Account Type,First Name, Last Name, Account Number, Total, Result, Detail,Transaction ID',
} as const satisfies Record<ReportRow['method'], string>;

function cellsOf(entry: JournalEntry, face: Face): string[] {
  return [
    csvCell(entry.invoice),
    face.writeTime(new Date(entry.at)),
    csvCell(entry.account),
    quoteCell(entry.customerCode || NO_CUSTOMER_CODE),
    csvCell(payersWords(entry.payment)),
    quoteCell(payersWords(entry.firstName)),
    quoteCell(payersWords(entry.lastName)),
    csvCell(guardNumber(entry.shownNumber)),
    ...(entry.method === 'card' ? [csvCell(guardNumber(entry.expiry))] : []),
    formatCents(entry.amountCents),
    csvCell(entry.result),
    ' ',
    entry.transactionId,
  ];
}
