import type { Server } from '../../../schemas/operations.ts';
import { NO_CUSTOMER_CODE, type ReportRow } from '../../../schemas/reports.ts';
import { lastFour } from '../../kernel/mask.ts';
import { parseAmount } from '../../kernel/money.ts';
import { hideWholeNumbers } from './hide-whole-numbers.ts';
import { judgeResult } from './judge-result.ts';
import { readJournalTime } from './read-journal-time.ts';
import type { JournalLine } from './report-answers.ts';

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
