import { type ReportName, type ReportRow, REPORTS } from '../../../schemas/reports.ts';
import type { JournalEntry } from '../books/book-row.ts';
import type { Call, Handler, HandlerContext } from '../handlers/handler.ts';
import { textElement } from '../xml/write-xml.ts';
import { chooseEntries, type Face, faceOf } from './choose-entries.ts';
import { dayCsv, journalXml, rangeCsv } from './write-journal.ts';
import { type BankState, bankStateOf } from '../time/bank-state.ts';
import type { Books } from '../books/open-books.ts';
import type { Payment } from '../books/payment-book.ts';

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

/**
 * Returns every charge and refund of an account as a report line, oldest first.
 *
 * A payment is in one list at a time, so no sum counts it twice. A bank charge is approved when taken. From the moment
 * the bank answers, it is approved anew, rejected or returned. Assumption: it moves and leaves no line behind.
 */
export function journalOf(books: Pick<Books, 'payments'>, account: string, now: Date): readonly JournalEntry[] {
  const entries = books.payments.list(account).map((payment) => entryOf(payment, now));
  return entries.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

type Place = Pick<JournalEntry, 'at' | 'list' | 'result'>;

function entryOf(payment: Payment, now: Date): JournalEntry {
  const { row, method, transactionId, payer } = payment;
  const { account, invoice, customerCode, amountCents } = row;
  return { ...placeOf(payment, now), account, method, transactionId, invoice, customerCode, ...payer, amountCents };
}

function placeOf({ row, method }: Payment, now: Date): Place {
  const { at, charged, message, amountCents } = row;
  if (!charged) return { at, list: 'rejected', result: reportText(message) };
  if (method === 'card') return { at, list: 'approved', result: reportText(message) };
  const { stage, since } = bankStateOf(new Date(at), amountCents, now);
  return { ...BANK_PLACES[stage], at: isFinal(stage) ? since.toISOString() : at };
}

/** The vendor lists this return code; the test account's own code is not known. */
const BANK_PLACES: Readonly<Record<BankState['stage'], Pick<Place, 'list' | 'result'>>> = {
  'to be sent': { list: 'approved', result: 'OK:555555:' },
  pending: { list: 'approved', result: 'OK:555555:' },
  accepted: { list: 'approved', result: 'OK:BankAccept' },
  rejected: { list: 'rejected', result: 'OK:Reject' },
  returned: { list: 'returned', result: 'REJ:63' },
};

function isFinal(stage: BankState['stage']): boolean {
  return stage !== 'to be sent' && stage !== 'pending';
}

/** Converts `OK: 678594:` to `OK:678594:`, and `REJECT: 15` to `REJ:15`. */
function reportText(message: string): string {
  return message.replace(/^REJECT: /, 'REJ:').replace(/^OK: /, 'OK:');
}
