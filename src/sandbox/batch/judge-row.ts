import { FIELDS } from '../../../schemas/fields.ts';
import { FOLDER_OPERATIONS, type FolderOperation, type Server } from '../../../schemas/operations.ts';
import type { BookRow } from '../books/book-row.ts';
import { judgeCard } from './magic-cards.ts';
import type { BatchRow } from './read-row.ts';
import type { PaymentKind } from '../customers/customer.ts';

export type Verdict = Pick<BookRow, 'outcome' | 'message'>;

/** What decides about a row besides the row itself. */
export type RowSetting = {
  readonly kind: FolderOperation;
  readonly server: Server | undefined;
  readonly ipAddress: string;
  /** How the record of a customer code pays; undefined without a record. When omitted, no record is known. */
  readonly paymentOf?: (customerCode: string) => PaymentKind | undefined;
  /** Card or account number stored under a customer code; undefined without a record. */
  readonly numberOf?: (customerCode: string) => string | undefined;
};

/**
 * Judges a row by itself; duplicates are found elsewhere.
 *
 * Files are tried here without creating records first. So a customer code without a record is good, unless it is empty
 * or begins with X, which stands for an unknown code. A code whose record pays another way is not good.
 */
export function judgeRow(row: BatchRow, setting: RowSetting): Verdict {
  if (!isWellFormed(row, setting.kind)) return { outcome: 'format_error', message: 'Wrong Format' };
  if (row.cells.customerCode !== undefined && !isGoodCode(row.customerCode, setting)) return declined('REJECT: 3');
  const number = numberOfRow(row, setting);
  return setting.kind === 'card' ? judgeCardRow(row, number, setting) : judgeAccountRow(number);
}

/** Judges a bank row, which is only received; whether it is paid is known days later. */
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

/** Returns the row's number or the number stored under its code; undefined without a record. */
function numberOfRow({ cells, customerCode }: BatchRow, { numberOf }: RowSetting): string | undefined {
  return cells.cardNumber ?? cells.accountNumber ?? numberOf?.(customerCode);
}

function declined(message: string): Verdict {
  return { outcome: 'declined', message };
}

/** Checks what the row alone shows. An expired card passes: the test cards of old samples must work. */
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

/** Returns whether a text can be a bank account number at all. */
export function isAccountNumber(text: string): boolean {
  return /^\d{4,}$/.test(text) && text.length <= FIELDS.accountNum.maxLength;
}

function isCalendarDay(text: string): boolean {
  const [, month, day, year] = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(text)?.map(Number) ?? [];
  if (month === undefined || day === undefined || year === undefined) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
