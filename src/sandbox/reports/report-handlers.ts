import { type ReportName, type ReportRow, REPORTS } from '../../../schemas/reports.ts';
import type { JournalEntry } from '../books/book-row.ts';
import { CURRENCY_MOPS } from '../../../schemas/restrictions.ts';
import type { Account, Call, Handler, HandlerContext } from '../handlers/handler.ts';
import type { Parameters } from '../soap/read-parameters.ts';
import { textElement } from '../xml/write-xml.ts';
import { chooseEntries, type Face, faceOf } from './choose-entries.ts';
import { dayCsv, journalXml, rangeCsv, sumCsv } from './write-journal.ts';
import { type BankState, bankStateOf, RETURN_CODE } from '../time/bank-state.ts';
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
    answer: (call, context) => ({ payload: journalPayload(row, call, context) }),
  };
}

function journalPayload(row: ReportRow, { account, parameters }: Call, { books, clock }: HandlerContext): string {
  const now = clock.now();
  const face = faceOf(account);
  const journal = journalOf(books, account.agentCode, now, row);
  const { entries, isFuture } = chooseEntries(row, journal, { parameters, face, now });
  if (row.list === 'reconciliation') return fileOf(reconciliationOf(entries, account, parameters));
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
 * Returns what the bank paid out, or nothing if it paid nothing. All that is recorded is the empty file of a test account
 * that had been paid nothing. Assumptions: the titles, and that an account has one currency, which its client knows; so
 * any of its server is answered, and no other.
 */
function reconciliationOf(entries: readonly JournalEntry[], account: Account, parameters: Parameters): string {
  const currency = parameters.text('currency')?.trim() ?? '';
  const servers = account.server === undefined ? Object.values(CURRENCY_MOPS) : [CURRENCY_MOPS[account.server]];
  const isOwn = currency === '' || servers.some((currencies) => Object.hasOwn(currencies, currency));
  if (!isOwn || entries.length === 0) return '';
  const face = faceOf(account);
  return parameters.flag('summaryOnly') === true ? sumCsv(entries, face) : rangeCsv(entries, face);
}

/**
 * Returns every charge and refund of an account as a report line, oldest first; for a reconciliation what was paid out.
 *
 * A payment is in one journal at a time, so no sum counts it twice. A bank charge is approved when taken. From the moment
 * the bank answers, it is approved anew, rejected or returned. Assumption: it moves and leaves no line behind.
 * @param wanted only these lines; those of all journals when omitted
 */
export function journalOf(
  books: { readonly payments: { list(account: string): readonly Payment[] } },
  account: string,
  now: Date,
  wanted?: Pick<ReportRow, 'method' | 'list'>,
): readonly JournalEntry[] {
  const entries = books.payments.list(account).flatMap((payment) => {
    if (wanted && payment.method !== wanted.method) return [];
    const places = wanted?.list === 'reconciliation' ? payoutsOf(payment, now) : [placeOf(payment, now)];
    return places.filter(({ list }) => !wanted || list === wanted.list).map((place) => entryOf(payment, place));
  });
  // All times are written alike, so their texts are in their order.
  return entries.sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
}

type Place = Pick<JournalEntry, 'at' | 'list' | 'result' | 'amountCents'>;

function entryOf({ row, method, transactionId, payer }: Payment, place: Place): JournalEntry {
  const { account, invoice, customerCode } = row;
  return { ...place, account, method, transactionId, invoice, customerCode, ...payer };
}

function placeOf(payment: Payment, now: Date): Place {
  const { row, method } = payment;
  const { at, charged, message, amountCents } = row;
  if (!charged) return { at, list: 'rejected', result: reportText(message), amountCents };
  if (method === 'card') return { at, list: 'approved', result: reportText(message), amountCents };
  const state = stateOf(payment, now);
  const { list, result } = BANK_PLACES[state.stage];
  const coded = state.code === undefined ? result : `REJ:${state.code}`;
  return { at: isFinal(state.stage) ? state.since.toISOString() : at, list, result: coded, amountCents };
}

/**
 * Returns what the bank has paid out for a payment, and what it took back. A card payment settles a day later, as its
 * answer says. Assumption: a bank payment is paid out when it is accepted, and taken back when it is returned.
 */
function payoutsOf(payment: Payment, now: Date): Place[] {
  const { row, method } = payment;
  const { at, charged, amountCents } = row;
  const list = 'reconciliation';
  if (!charged) return [];
  if (method === 'card') {
    const settledAt = new Date(Date.parse(at) + DAY_MS);
    if (settledAt > now) return [];
    return [{ at: settledAt.toISOString(), list, result: reportText(row.message), amountCents }];
  }
  const { stage, since, acceptedAt, code } = stateOf(payment, now);
  const paidAt = stage === 'accepted' ? since : acceptedAt;
  if (!paidAt) return [];
  const paid: Place = { at: paidAt.toISOString(), list, result: BANK_PLACES.accepted.result, amountCents };
  if (stage !== 'returned') return [paid];
  const result = code === undefined ? BANK_PLACES.returned.result : `REJ:${code}`;
  return [paid, { at: since.toISOString(), list, result, amountCents: -amountCents }];
}

const DAY_MS = 24 * 60 * 60 * 1000;

function stateOf({ row, course }: Payment, now: Date): BankState {
  return bankStateOf(new Date(row.at), row.amountCents, now, course);
}

const BANK_PLACES: Readonly<Record<BankState['stage'], Pick<Place, 'list' | 'result'>>> = {
  'to be sent': { list: 'approved', result: 'OK:555555:' },
  pending: { list: 'approved', result: 'OK:555555:' },
  accepted: { list: 'approved', result: 'OK:BankAccept' },
  rejected: { list: 'rejected', result: 'OK:Reject' },
  returned: { list: 'returned', result: `REJ:${RETURN_CODE}` },
};

function isFinal(stage: BankState['stage']): boolean {
  return stage !== 'to be sent' && stage !== 'pending';
}

/** Converts `OK: 678594:` to `OK:678594:`, and `REJECT: 15` to `REJ:15`. */
function reportText(message: string): string {
  return message.replace(/^REJECT: /, 'REJ:').replace(/^OK: /, 'OK:');
}
