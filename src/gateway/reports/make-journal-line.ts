import type { Server } from '../../../schemas/operations.ts';
import { NO_CUSTOMER_CODE, REPORT_TIMES, type ReportRow } from '../../../schemas/reports.ts';
import { lastFour } from '../../kernel/mask.ts';
import { parseAmount } from '../../kernel/money.ts';
import { hideWholeNumbers } from './hide-whole-numbers.ts';
import { judgeResult } from './judge-result.ts';
import type { JournalLine, JournalTime } from './report-answers.ts';
import { momentsInZone } from '../../calendar/zone-time.ts';

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
