import { type ColumnName, COLUMNS, columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { formatCents, parseAmount } from '../../kernel/money.ts';
import { joinedDigits, plainDigits, SHORTEST_TELLING } from '../../kernel/plain-digits.ts';
import type { Fault, PaymentRow, RawRow } from '../../rows/rows.ts';
import type { CheckRules } from './check-rules.ts';
import type { DuplicateRows } from './duplicate-rows.ts';
import { placesOf } from '../scan/row-scan.ts';
import { isOfBrand } from '../rules/card-brand.ts';
import { findOddAddress } from '../rules/us-address.ts';
import { ruleOfColumn } from '../rules/rule-of-column.ts';
import type { FaultCode } from '../../../schemas/errors.ts';
import { effectOf } from './fault-effect.ts';
import { hideNumber, hideNumbers, holdsCardNumber, isDay, joinGroups, maskNumber } from '../../kernel/mask.ts';

/**
 * A row with all its faults and notes. `payment` is set when no fault makes the row itself invalid. A duplicate that
 * only holds the file has one.
 */
export type CheckedRow = {
  /** Has no cells when the line could not be read or must not be kept. */
  readonly raw: RawRow;
  readonly faults: readonly Fault[];
  /** Cents, if the amount is readable. Invalid rows have them too, because the sender's control total counts them. */
  readonly amountCents: number | null;
  readonly payment?: PaymentRow;
};

/**
 * Compiles the row check from the column table, once per file, so that a million rows look nothing up. The check finds
 * all faults of a row, not only the first.
 * @param duplicates remembers the payments of this file
 * @returns the check; it takes rows with as many cells as the layout has columns
 */
export function compileRowCheck(
  layout: LayoutName,
  rules: CheckRules,
  duplicates: DuplicateRows,
): (raw: RawRow) => CheckedRow {
  const columns = columnsOf(layout);
  const cellRules = columns.map((column) => ruleOfColumn(column, rules));
  const place = placesOf(columns);
  const notes = rowNotes(columns, place.number, rules.folder);
  const looksAtAddress = rules.account.country === 'US' && place.state >= 0;

  return (raw) => {
    notes.startRow(raw);
    const canonical = cellRules.map((checkCell, index) => {
      notes.moveTo(index);
      return checkCell(raw.cells[index]!.trim(), notes.report);
    });
    reportOwnNumber(raw, canonical);
    reportBrand(canonical);
    if (looksAtAddress) reportAddress(canonical);
    const payment = toPayment(raw.line, canonical);
    reportDuplicate(payment);
    reportLargeAmount(payment);
    const faults = notes.faults();
    const amountCents = payment.amountCents === 0 ? null : payment.amountCents;
    return notes.isInvalid() ? { raw, faults, amountCents } : { raw, faults, amountCents, payment };
  };

  /** Reports the row's card or account number, or a likely copy, in a column that is stored and shown in clear. */
  function reportOwnNumber(raw: RawRow, canonical: readonly string[]): void {
    const number = raw.cells[place.number]?.trim() ?? '';
    if (!/^\d+$/.test(number)) return;
    for (const index of place.texts) {
      const text = canonical[index]!;
      if (text.length < number.length) continue;
      const digits = joinedDigits(text);
      if (!(number.length >= SHORTEST_TELLING && digits.includes(number)) && !isExchanged(number, digits)) continue;
      notes.moveTo(index);
      notes.report('CARD_NUMBER_IN_TEXT');
    }
  }

  function reportBrand(canonical: readonly string[]): void {
    const mop = canonical[place.mop] ?? '';
    const number = canonical[place.number] ?? '';
    if (mop === '' || number === '' || isOfBrand(mop, number)) return;
    notes.moveTo(place.number);
    notes.report('CARD_BRAND', `not a ${mop} number`);
  }

  function reportAddress(canonical: readonly string[]): void {
    for (const { column, code, detail } of findOddAddress(canonical[place.state]!, canonical[place.zipCode]!)) {
      notes.moveTo(place[column]);
      notes.report(code, detail);
    }
  }

  /** Reports a duplicate: same invoice, amount and payer. A row where one of them is faulty cannot be compared. */
  function reportDuplicate(payment: PaymentRow): void {
    const payer = payment.number || payment.customerCode;
    if (payment.invoice === '' || payment.amountCents === 0 || payer === '') return;
    const { invoice, amountCents: cents, line } = payment;
    const firstLine = duplicates.findFirstLine({ invoice, cents, payer }, line);
    if (firstLine > 0) notes.reportRow('DUPLICATE_ROW', `the first is on line ${firstLine}`);
  }

  /** Reports an amount above the limit. A withheld row moves no money, so it does not hold the file. */
  function reportLargeAmount({ amountCents }: PaymentRow): void {
    if (rules.largestRowCents === undefined || Math.abs(amountCents) <= rules.largestRowCents) return;
    if (notes.isInvalid()) return;
    notes.reportRow('LIMIT_ROW_AMOUNT', `${formatCents(amountCents)}, at most ${formatCents(rules.largestRowCents)}`);
  }

  function toPayment(line: number, canonical: readonly string[]): PaymentRow {
    return {
      line,
      invoice: canonical[place.invoice] ?? '',
      customerCode: canonical[place.customerCode] ?? '',
      amountCents: centsOf(canonical[place.amount] ?? ''),
      number: canonical[place.number] ?? '',
      canonical,
    };
  }
}

/** Returns whether a text is as long as bank and account number together while the number column is short. */
function isExchanged(number: string, text: string): boolean {
  return number.length < SHORTEST_WHOLE && WHOLE_ACCOUNT.test(text);
}

/** A shorter number lacks the nine digits of the bank. */
const SHORTEST_WHOLE = 12;
const WHOLE_ACCOUNT = /\d{17}/;

/** Returns zero, which no payment has, for a faulty amount. */
function centsOf(canonical: string): number {
  const cents = parseAmount(canonical);
  return typeof cents === 'number' ? cents : 0;
}

const NO_CELLS: RawRow = { line: 0, cells: [] };
const NO_FAULTS: readonly Fault[] = Object.freeze([]);

/**
 * Collects the faults of one row after another. One object serves the whole file, because nearly all rows are valid and
 * must cost nothing.
 * @param numberPlace index of the card or account number; -1 for layouts without
 */
export function rowNotes(columns: readonly ColumnName[], numberPlace: number, folder: CheckRules['folder']) {
  let raw = NO_CELLS;
  let place = 0;
  let faults: Fault[] | undefined;
  let isInvalid = false;

  function startRow(row: RawRow): void {
    raw = row;
    faults = undefined;
    isInvalid = false;
  }

  function moveTo(column: number): void {
    place = column;
  }

  function report(code: FaultCode, detail?: string): void {
    isInvalid ||= effectOf(code, folder) !== 'warn';
    const cell = raw.cells[place]?.trim() ?? '';
    const number = numberPlace < 0 ? undefined : (raw.cells[numberPlace]?.trim() ?? '');
    addFault(cellFault({ code, line: raw.line, column: columns[place]!, cell, number, detail }));
  }

  /**
   * Reports a fault of the row as a whole. One that only holds the file leaves the row valid. The operator judges
   * whether both equal rows are meant, and an approved file must send both.
   */
  function reportRow(code: FaultCode, detail: string): void {
    const effect = effectOf(code, folder);
    isInvalid ||= effect !== 'warn' && effect !== 'hold';
    addFault({ code, line: raw.line, detail });
  }

  function addFault(fault: Fault): void {
    (faults ??= []).push(fault);
  }

  return { startRow, moveTo, report, reportRow, faults: () => faults ?? NO_FAULTS, isInvalid: () => isInvalid };
}

type CellNote = {
  readonly code: FaultCode;
  readonly line: number;
  readonly column: ColumnName;
  readonly detail?: string | undefined;
  /** The cell and the card or account number of its row, both as the sender wrote them. */
  readonly cell: string;
  readonly number: string | undefined;
};

/** Returns the fault of one cell, with its value masked. */
export function cellFault({ code, line, column, detail, cell, number }: CellNote): Fault {
  const fault: { -readonly [Part in keyof Fault]: Fault[Part] } = { code, line, column };
  const value = shownValue(column, cell, number);
  if (detail) fault.detail = detail;
  if (value) fault.value = value;
  return fault;
}

const LONGEST_SHOWN = 40;

/**
 * Returns a cell as a fault may show it: at most 40 characters, and no more than four digits of a card or account
 * number. Columns without such a number stay readable, because otherwise the sender could not see what is wrong.
 * @param ownNumber the number column of the same row, masked wherever it stands. If it holds no number, that may stand
 *   in any other column. Undefined when the row has no such column
 */
export function shownValue(column: ColumnName, cell: string, ownNumber: string | undefined): string {
  // First cut to a length that masks quickly, last to the shown length; a number must be masked while complete.
  const masked = maskCell(column, cell.slice(0, 10 * LONGEST_SHOWN), ownNumber);
  return masked.length <= LONGEST_SHOWN ? masked : `${masked.slice(0, LONGEST_SHOWN - 1)}…`;
}

function maskCell(column: ColumnName, text: string, ownNumber: string | undefined): string {
  const { kind } = COLUMNS[column];
  if (kind === 'cardNumber' || kind === 'accountNumber') return maskNumber(text);
  if ((kind === 'amount' && AMOUNT.test(text)) || (kind === 'date' && isDay(text))) return text;
  const number = joinedDigits(ownNumber ?? '');
  const shown = /^\d{4,}$/.test(number) ? hideNumber(text, number) : text;
  const mayHoldNumber = ownNumber !== undefined && !isNumber(ownNumber);
  return mayHoldNumber || MANY_DIGITS.test(joinGroups(plainDigits(shown))) || holdsCardNumber(shown)
    ? hideNumbers(shown)
    : shown;
}

/** Card and account numbers have no decimal point unless a spreadsheet adds one, so longer numbers do not count. */
const AMOUNT = /^[-+]?[$€£]?\d{1,3}(?:,?\d{3}){0,3}\.\d{1,2}$/;

/** Invoices and telephone numbers have fewer. */
const MANY_DIGITS = /\d{12}/;

/** Returns whether a cell holds a card or account number, possibly with slips, rather than something else. */
function isNumber(cell: string): boolean {
  const number = plainDigits(cell).replace(/[\s-]/g, '');
  return /^\d{4,26}$/.test(number) || number.replace(/\D/g, '').length >= 12;
}
