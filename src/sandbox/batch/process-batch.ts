import { isUtf8 } from 'node:buffer';
import { FOLDER_OPERATIONS, type FolderOperation, type Server } from '../../../schemas/operations.ts';
import type { BookRow, JudgedRow, Payer } from '../books/book-row.ts';
import { hideCardNumber, maskNumber, shownEnd } from './mask-number.ts';
import { type FieldName, FIELDS } from '../../../schemas/fields.ts';
import { findRejection, judgeCard } from './magic-cards.ts';
import type { Customer, PaymentKind } from '../customers/customer.ts';
import { cardValues, findBreak, type RuleSetting, rulesAt, textValues } from '../rules/find-break.ts';
import type { Parameters } from '../soap/read-parameters.ts';
import type { RuleStage } from '../../../schemas/sandbox/strict-rules.ts';
import {
  type ColumnKind,
  type ColumnName,
  COLUMNS,
  columnsOf,
  type LayoutName,
  layoutOf,
} from '../../../schemas/layouts.ts';
import { parseAmount } from '../../kernel/money.ts';

export type JudgedBatch = {
  readonly rows: readonly JudgedRow[];
  /** The result file: each row as sent, with its number masked, then the message and CRLF. */
  readonly result: Buffer;
  /** Keys that identify the charged rows. */
  readonly keys: readonly string[];
  /** Who pays, row by row; null for a row that no report shows. */
  readonly payers: readonly (Payer | null)[];
};

export type BatchRules = RowSetting & {
  readonly account: string;
  readonly findsDuplicates: boolean;
  /** Whether an earlier batch left this key. */
  readonly isTaken: (key: string) => boolean;
  /** Makes a key that does not reveal its parts. */
  readonly keyOf: (parts: readonly string[]) => string;
};

/** Judges every row of a batch in order; row n of the result answers row n of the file. */
export function processBatch(file: BatchFile, rules: BatchRules): JudgedBatch {
  const keys = new Set<string>();
  const judged = file.rows.map((cells) => {
    const row = readRow(rules.kind, cells);
    return { row, verdict: judgeOnce(row, rules, keys) };
  });
  const lines = judged.map(({ row, verdict }) => `${[...row.maskedCells, verdict.message].join(',')}\r\n`);
  return {
    rows: judged.map(({ row, verdict }) => describeRow(row, verdict)),
    result: Buffer.from(lines.join(''), file.charset),
    keys: [...keys],
    payers: judged.map(({ row, verdict }) => (isReported(verdict) ? payerOfRow(row) : null)),
  };
}

const DUPLICATED: Verdict = { outcome: 'duplicate', message: 'Duplicated' };

/**
 * Judges a row. A row that equals a charged row is a duplicate, even within one file. The key holds the kind of
 * operation: a refund does not duplicate its charge. Assumption without a source: only charged rows leave a key. A
 * declined row may be tried again, and `Duplicated` always means that money has moved before.
 */
function judgeOnce(row: BatchRow, rules: BatchRules, keys: Set<string>): Verdict {
  const verdict = judgeRow(row, rules);
  if (!isCharged(verdict)) return verdict;
  const key = rules.keyOf([
    rules.account,
    rules.kind,
    row.invoice,
    row.number === '' ? `code ${row.customerCode}` : `number ${row.number}`,
    String(row.amountCents),
  ]);
  if (rules.findsDuplicates && (keys.has(key) || rules.isTaken(key))) return DUPLICATED;
  keys.add(key);
  return verdict;
}

function describeRow(row: BatchRow, verdict: Verdict): JudgedRow {
  return {
    invoice: row.shownInvoice,
    customerCode: row.shownCustomerCode,
    amountCents: row.amountCents ?? 0,
    lastFour: row.lastFour,
    outcome: verdict.outcome,
    message: verdict.message,
    charged: isCharged(verdict),
  };
}

/** Returns whether reports show the row; they omit duplicates and rows that were not understood. */
function isReported(verdict: Verdict): boolean {
  return isCharged(verdict) || verdict.outcome === 'declined';
}

function isCharged({ outcome }: Verdict): boolean {
  return outcome === 'approved' || outcome === 'accepted_pending';
}

/** Returns who pays for a batch row, and with what. A row by customer code names no payer. */
export function payerOfRow({ cells, number }: BatchRow): Payer {
  return {
    ...nameOf(cells),
    payment: cells.mop ?? cells.accountType ?? '',
    shownNumber: maskNumber(number),
    expiry: (cells.expiry ?? '').replace(/^(\d\d)(\d\d)$/, '$1/$2'),
    comment: cells.comment ?? '',
  };
}

/** Takes the last word of a full name as the last name. */
function nameOf({ firstName, lastName, fullName }: BatchRow['cells']): Pick<Payer, 'firstName' | 'lastName'> {
  if (fullName === undefined) return { firstName: firstName ?? '', lastName: lastName ?? '' };
  const words = fullName.trim().split(/\s+/);
  return { firstName: words.slice(0, -1).join(' '), lastName: words.at(-1) ?? '' };
}

type Verdict = Pick<BookRow, 'outcome' | 'message'>;

/** What a record is charged by. */
type StoredPayment = Pick<Customer, 'number' | 'method' | 'expiry'>;

/** What decides about a row besides the row itself. */
type RowSetting = {
  readonly kind: FolderOperation;
  readonly server: Server | undefined;
  readonly ipAddress: string;
  /** How the record of a customer code pays; undefined without a record. When omitted, no record is known. */
  readonly paymentOf?: (customerCode: string) => PaymentKind | undefined;
  /** The record of a customer code; undefined without one. */
  readonly recordOf?: (customerCode: string) => StoredPayment | undefined;
  /** Takes the rejection planned for this row, if any. */
  readonly takeRejection?: () => string | undefined;
  /** The strict rules; none when omitted. */
  readonly rules?: RuleSetting;
};

/**
 * Judges a row by itself; duplicates are found elsewhere.
 *
 * Files are tried here without creating records first. So a customer code without a record is good, unless it is empty
 * or begins with X, which stands for an unknown code. A code whose record pays another way is not good.
 */
export function judgeRow(row: BatchRow, setting: RowSetting): Verdict {
  if (!isWellFormed(row, setting.kind) || findRowBreak('format', () => valuesOf(row), setting)) return WRONG_FORMAT;
  const planned = setting.takeRejection?.();
  if (planned !== undefined) return declined(planned);
  if (row.cells.customerCode !== undefined && !isGoodCode(row.customerCode, setting)) return declined('REJECT: 3');
  const record = row.cells.customerCode === undefined ? undefined : setting.recordOf?.(row.customerCode);
  if (setting.kind === 'card') return judgeCardRow(row, record, setting);
  return judgeAccountRow(row.cells.accountNumber ?? record?.number, row.amountCents ?? 0);
}

const WRONG_FORMAT: Verdict = { outcome: 'format_error', message: 'Wrong Format' };

function findRowBreak(stage: RuleStage, values: () => Parameters, { kind, rules }: RowSetting): string | undefined {
  const { operation } = FOLDER_OPERATIONS[kind];
  if (!rules || rulesAt(stage, operation).length === 0) return undefined;
  return findBreak(stage, operation, values(), rules);
}

/** Returns a row by the names of the service's fields. */
function valuesOf({ cells }: BatchRow): Parameters {
  const columns = Object.entries(cells) as [ColumnName, string][];
  return textValues(Object.fromEntries(columns.map(([name, text]) => [fieldOf(name) ?? name, text])));
}

function fieldOf(name: ColumnName): FieldName | undefined {
  const column = COLUMNS[name];
  return 'field' in column ? column.field : undefined;
}

/** Judges a bank row, which is only received; whether it is paid is known days later. */
function judgeAccountRow(number: string | undefined, amountCents: number): Verdict {
  if (number !== undefined && !isAccountNumber(number)) return declined('REJECT: 40');
  const rejection = number === undefined ? undefined : findRejection('bank', number, amountCents);
  if (rejection !== undefined) return declined(rejection);
  return { outcome: 'accepted_pending', message: 'Received' };
}

function isGoodCode(customerCode: string, { kind, paymentOf }: RowSetting): boolean {
  const payment = paymentOf?.(customerCode);
  if (payment !== undefined) return payment === (kind === 'card' ? 'card' : 'bank');
  return !/^(?:X|$)/.test(customerCode);
}

function judgeCardRow(row: BatchRow, record: StoredPayment | undefined, setting: RowSetting): Verdict {
  const { server, ipAddress } = setting;
  const number = row.cells.cardNumber ?? record?.number;
  const message = judgeCard({ number, amountCents: row.amountCents ?? 0, server, ipAddress });
  if (!message.startsWith('OK')) return declined(message);
  const broken = findRowBreak('decline', () => (record ? cardValues(record) : valuesOf(row)), setting);
  return broken === undefined ? { outcome: 'approved', message } : declined(broken);
}

function declined(message: string): Verdict {
  return { outcome: 'declined', message };
}

/** Checks what the row alone shows. */
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

/** A batch row by column name. Columns that its layout lacks are empty. */
type BatchRow = {
  /** Undefined when no layout of the operation has that many columns. */
  readonly layout: LayoutName | undefined;
  readonly cells: Readonly<Partial<Record<ColumnName, string>>>;
  readonly invoice: string;
  readonly customerCode: string;
  /** Card or account number. Lives only while its batch is judged. */
  readonly number: string;
  /** Integer cents; undefined when the amount is not a plain decimal. */
  readonly amountCents: number | undefined;
  /** The row as sent, with its number masked. */
  readonly maskedCells: readonly string[];
  readonly shownInvoice: string;
  readonly shownCustomerCode: string;
  readonly lastFour: string;
};

/** Reads a row by the operation's only layout with that many columns. */
export function readRow(kind: FolderOperation, texts: readonly string[]): BatchRow {
  const layout = layoutOf(kind, texts.length);
  const columns = layout ? columnsOf(layout) : [];
  const cells: Partial<Record<ColumnName, string>> = {};
  for (const [index, column] of columns.entries()) cells[column] = texts[index] ?? '';
  const number = cells.cardNumber ?? cells.accountNumber ?? '';
  const amount = parseAmount(cells.amount ?? '');
  return {
    layout,
    cells,
    invoice: cells.invoice ?? '',
    customerCode: cells.customerCode ?? '',
    number,
    amountCents: typeof amount === 'number' ? amount : undefined,
    maskedCells: texts.map((text, index) => (holdsNumber(columns[index]) ? maskNumber(text) : text)),
    shownInvoice: hideCardNumber(cells.invoice ?? ''),
    shownCustomerCode: hideCardNumber(cells.customerCode ?? ''),
    lastFour: shownEnd(number),
  };
}

const NUMBER_KINDS: readonly ColumnKind[] = ['cardNumber', 'accountNumber'];

function holdsNumber(column: ColumnName | undefined): boolean {
  return column !== undefined && NUMBER_KINDS.includes(COLUMNS[column].kind);
}

/** The rows of a batch file. `charset` is how the bytes were read and how to write the result. */
type BatchFile = { readonly rows: readonly (readonly string[])[]; readonly charset: 'utf8' | 'latin1' };

/**
 * Splits a batch file into rows and cells, at line ends and at every comma, because nothing is known about quotes.
 * Skips blank lines. Bytes that are not UTF-8 are read as Latin-1, which returns the same bytes in the result file.
 */
export function readBatchFile(bytes: Buffer): BatchFile {
  const charset = isUtf8(bytes) ? 'utf8' : 'latin1';
  const lines = bytes.toString(charset).split(/\r?\n/);
  return { rows: lines.filter((line) => line.trim() !== '').map((line) => line.split(',')), charset };
}
