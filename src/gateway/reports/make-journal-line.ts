import type { Server } from '../../../schemas/operations.ts';
import { NO_CUSTOMER_CODE, REPORT_TIMES, type ReportRow } from '../../../schemas/reports.ts';
import { lastFour } from '../../kernel/mask.ts';
import { parseAmount } from '../../kernel/money.ts';
import { hideWholeNumbers } from './hide-whole-numbers.ts';
import type { JournalLine, JournalOutcome, JournalTime } from '../answers.ts';
import { momentsInZone } from '../../calendar/zone-time.ts';
import { rejectionOf } from '../../../schemas/rejections.ts';

/** The texts of one line, in whatever form it came. `number` is a card or account number as the service masks it. */
export type LineTexts = Readonly<Record<LineField, string>>;
export type LineField =
  | 'transactionId'
  | 'invoice'
  | 'at'
  | 'customerCode'
  | 'paymentMethod'
  | 'amount'
  | 'result'
  | 'number'
  | 'comment';

/** The report a line comes from; its result and time mean nothing without it. */
export type LineSource = { readonly row: Pick<ReportRow, 'method' | 'list'>; readonly server: Server };

export function makeJournalLine(texts: LineTexts, { row, server }: LineSource): JournalLine {
  const cents = parseAmount(texts.amount);
  const customerCode = hideWholeNumbers(texts.customerCode);
  return {
    transactionId: hideWholeNumbers(texts.transactionId),
    invoice: hideWholeNumbers(texts.invoice),
    at: readJournalTime(hideWholeNumbers(texts.at), server),
    customerCode: customerCode.toLowerCase() === NO_CUSTOMER_CODE.toLowerCase() ? '' : customerCode,
    paymentMethod: hideWholeNumbers(texts.paymentMethod),
    amountCents: typeof cents === 'number' ? cents : null,
    result: hideWholeNumbers(texts.result),
    outcome: judgeResult(texts.result, row),
    lastFour: endOf(texts.number),
    comment: hideWholeNumbers(texts.comment),
  };
}

/** Returns the last digits; an unmasked number is cut like any other. */
function endOf(number: string): string {
  return number.includes('*') ? (/\d{0,4}$/.exec(number)?.[0] ?? '') : lastFour(number);
}

/**
 * Reads a time from a report: `06/15/2017 10:11:12`, with the day first on the UK server, or ISO 8601. Without an
 * offset it is in the server's time zone.
 */
export function readJournalTime(text: string, server: Server): JournalTime {
  const [, wall = '', offset] = ISO.exec(text) ?? [];
  if (offset !== undefined) return { text, utc: utcOf([new Date(wall + offset)]) };
  const moments = momentsInZone(wall === '' ? wallOf(text, server) : wall, REPORT_TIMES[server].timeZone);
  return { text, utc: utcOf(moments) };
}

const ISO = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/;
const SLASHED = /^(\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}:\d\d:\d\d)$/;

/** Returns `2017-06-15T10:11:12`, or a text that is no time either. */
function wallOf(text: string, server: Server): string {
  const [, first = '', second = '', year = '', time = ''] = SLASHED.exec(text) ?? [];
  const [month, day] = REPORT_TIMES[server].order === 'day/month/year' ? [second, first] : [first, second];
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T${time.padStart(8, '0')}`;
}

function utcOf(moments: readonly Date[]): string | null {
  const [only, ...others] = moments;
  return only === undefined || others.length > 0 || Number.isNaN(only.getTime()) ? null : only.toISOString();
}

/**
 * Returns the outcome of a payment from the result of its line. Only a listed text that fits its list is proof. A
 * time-out is none, because the processor itself resends a bank payment.
 */
export function judgeResult(result: string, { method, list }: Pick<ReportRow, 'method' | 'list'>): JournalOutcome {
  const text = result.trim().replace(/:\s+/g, ':');
  if (/TIMEOUT/i.test(text)) return 'unknown';
  if (list === 'returned') return 'returned';
  const code = /^REJ(?:ECT)?:(\d{1,4})$/.exec(text)?.[1];
  if (code !== undefined) return list === 'rejected' ? judgeCode(Number(code), method) : 'unknown';
  // The bank refused it. The text occurs in both lists, because the payment counted as approved for days.
  if (text === 'OK:Reject') return 'rejected';
  if (list !== 'approved') return 'unknown';
  if (text === 'OK:BankAccept') return 'approved';
  if (!APPROVED.test(text)) return 'unknown';
  return method === 'card' ? 'approved' : 'accepted';
}

/** `OK`, `OK:678594:` or `OK:678594:X` */
const APPROVED = /^OK(?::(?=[A-Z]*\d)[A-Z0-9]{1,20}(?::[A-Za-z]?)?)?$/;

/** Judges a rejection code. Some card codes do not say whether money moved; bank codes all mean that it did not. */
function judgeCode(code: number, method: ReportRow['method']): JournalOutcome {
  return method === 'card' && rejectionOf(code).advice === 'unknown' ? 'unknown' : 'rejected';
}
