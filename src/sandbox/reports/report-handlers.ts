import { type ReportName, type ReportRow, REPORTS } from '../../../schemas/reports.ts';
import type { JournalEntry } from '../books/journal-entry.ts';
import { journalOf } from '../books/journal.ts';
import type { Call, HandlerContext, Handler } from '../handlers/handler.ts';
import { textElement } from '../xml/write-xml.ts';
import { chooseEntries } from './choose-entries.ts';
import { dayCsv } from './day-csv.ts';
import { type Face, faceOf } from './face.ts';
import { journalXml } from './journal-xml.ts';
import { rangeCsv } from './range-csv.ts';

/** The transaction reports of ReportLink, one handler per row of schemas/reports.ts. */
export const REPORT_HANDLERS = Object.fromEntries(
  Object.entries(REPORTS).map(([name, row]) => [name, report(row)]),
) as Readonly<Record<ReportName, Handler>>;

function report(row: ReportRow): Handler {
  const nothing = row.form === 'XML' ? textElement('JOURNALREPORT', '') : fileOf('');
  return {
    needs: [],
    failurePayload: nothing,
    badLoginPayload: nothing,
    // The service treats a wrong login as a failure; the text is what a known client makes of it.
    badLoginError: 'Bad Credentials',
    answer: (call, context) => ({
      payload: row.list === 'reconciliation' ? nothing : journalPayload(row, call, context),
    }),
  };
}

function journalPayload(row: ReportRow, { account, parameters }: Call, { books, clock }: HandlerContext): string {
  const now = clock.now();
  const face = faceOf(account);
  const journal = journalOf(books, account.agentCode, now);
  const { entries, isFuture } = chooseEntries(row, journal, { parameters, face, now });
  if (row.form === 'XML') return journalXml(entries, face);
  // Without rows, a file has its titles up to today and is empty for future days.
  return fileOf(isFuture && entries.length === 0 ? '' : csvOf(row, entries, face));
}

function csvOf({ method, period }: ReportRow, entries: readonly JournalEntry[], face: Face): string {
  return period === 'day' ? dayCsv(method, entries, face) : rangeCsv(entries, face);
}

function fileOf(csv: string): string {
  return textElement('FILE', Buffer.from(csv).toString('base64'));
}
