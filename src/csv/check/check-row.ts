import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { formatCents, parseAmount } from '../../kernel/money.ts';
import { joinedDigits, SHORTEST_TELLING } from '../../kernel/plain-digits.ts';
import type { Fault, PaymentRow, RawRow } from '../../rows/rows.ts';
import type { CheckRules } from './check-rules.ts';
import type { duplicateRows } from './duplicate-rows.ts';
import { rowNotes } from './row-notes.ts';
import { placesOf } from '../scan/places-of.ts';
import { isOfBrand } from '../rules/card-brand.ts';
import { findOddAddress } from '../rules/us-address.ts';
import { ruleOfColumn } from '../rules/rule-of-column.ts';

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
  duplicates: ReturnType<typeof duplicateRows>,
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
    notes.report('CARD_BRAND', `not a number of ${mop}`);
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
    if (firstLine > 0) notes.reportRow('DUPLICATE_ROW', `the first stands on line ${firstLine}`);
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
