import { FIELDS } from '../../../schemas/fields.ts';
import { FOLDER_OPERATIONS, type FolderOperation, type Server } from '../../../schemas/operations.ts';
import type { BookRow } from '../books/book-row.ts';
import { judgeCard } from './magic-cards.ts';
import type { BatchRow } from './read-row.ts';
import type { PaymentKind } from '../customers/customer.ts';

export type Verdict = Pick<BookRow, 'outcome' | 'message'>;

/** What of a batch, besides the row itself, decides about a row. */
export type RowSetting = {
  readonly kind: FolderOperation;
  readonly server: Server | undefined;
  readonly ipAddress: string;
  /** How the record of a customer code pays; undefined for a code without a record. None is known when left out. */
  readonly paymentOf?: (customerCode: string) => PaymentKind | undefined;
  /** The card or account number that is stored under a customer code; undefined for a code without a record. */
  readonly numberOf?: (customerCode: string) => string | undefined;
};

/**
 * What the service says to a row by itself; whether it came before is asked elsewhere.
 *
 * Files are tried here without anybody having created the records first, so every customer code is good except an
 * empty one, those that begin with X, which stand for codes that do not exist, and those whose record pays another way.
 */
export function judgeRow(row: BatchRow, setting: RowSetting): Verdict {
  if (!isWellFormed(row, setting.kind)) return { outcome: 'format_error', message: 'Wrong Format' };
  if (row.cells.customerCode !== undefined && !isGoodCode(row.customerCode, setting)) return declined('REJECT: 3');
  const number = numberOfRow(row, setting);
  return setting.kind === 'card' ? judgeCardRow(row, number, setting) : judgeAccountRow(number);
}

/** Bank rows are only taken for the bank; whether they are paid is known days later. */
function judgeAccountRow(number: string | undefined): Verdict {
  if (number !== undefined && !isAccountNumber(number)) return declined('REJECT: 40');
  return { outcome: 'accepted_pending', message: 'Received' };
}

function isGoodCode(customerCode: string, { kind, paymentOf }: RowSetting): boolean {
  const payment = paymentOf?.(customerCode);
  if (payment !== undefined) return payment === (kind === 'card' ? 'card' : 'bank');
  return !/^(?:X|$)/.test(customerCode);
}

function judgeCardRow(row: BatchRow, number: string | undefined, { server, ipAddress }: RowSetting): Verdict {
  const message = judgeCard({ number, amountCents: row.amountCents ?? 0, server, ipAddress });
  return message.startsWith('OK') ? { outcome: 'approved', message } : declined(message);
}

/** What is stored under a code answers as it does in a single charge. Without a record there is no number. */
function numberOfRow({ cells, customerCode }: BatchRow, { numberOf }: RowSetting): string | undefined {
  return cells.cardNumber ?? cells.accountNumber ?? numberOf?.(customerCode);
}

function declined(message: string): Verdict {
  return { outcome: 'declined', message };
}

/** The checks that need nothing but the row. An expiry in the past passes: the test cards of old samples must work. */
function isWellFormed(row: BatchRow, kind: FolderOperation): boolean {
  const { date, accountType, expiry } = row.cells;
  return (
    row.layout !== undefined &&
    Math.sign(row.amountCents ?? 0) === FOLDER_OPERATIONS[kind].sign &&
    (date === undefined || isCalendarDay(date)) &&
    (accountType === undefined || /^(?:CHECKING|SAVINGS?)$/i.test(accountType)) &&
    (expiry === undefined || /^(?:0[1-9]|1[0-2])\/?\d\d$/.test(expiry))
  );
}

/** Whether a text can be a bank account number at all. */
export function isAccountNumber(text: string): boolean {
  return /^\d{4,}$/.test(text) && text.length <= FIELDS.accountNum.maxLength;
}

function isCalendarDay(text: string): boolean {
  const [, month, day, year] = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(text)?.map(Number) ?? [];
  if (month === undefined || day === undefined || year === undefined) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
