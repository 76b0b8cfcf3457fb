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
 * A row with everything that was said about it. `payment` is there when no fault makes the row itself invalid; a row
 * that stands twice and only holds the file has one.
 */
export type CheckedRow = {
  /** Without cells when the line could not be read, or may not be kept. */
  readonly raw: RawRow;
  readonly faults: readonly Fault[];
  /** Cents, where the amount can be read, of invalid rows as well: the sender's control total counts them too. */
  readonly amountCents: number | null;
  readonly payment?: PaymentRow;
};

/**
 * Makes the check of a row from the table of columns, once per file, so that a million rows look nothing up. All faults
 * of a row are found, not only the first.
 * @param duplicates remembers the payments of this file
 * @returns the check; it takes rows that have as many cells as the layout has columns
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

  /** The card or account number of the row, or what may be it, in a column that is stored and shown in clear. */
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

  /** Same invoice, amount and payer. A row in which one of them is faulty cannot be compared. */
  function reportDuplicate(payment: PaymentRow): void {
    const payer = payment.number || payment.customerCode;
    if (payment.invoice === '' || payment.amountCents === 0 || payer === '') return;
    const { invoice, amountCents: cents, line } = payment;
    const firstLine = duplicates.findFirstLine({ invoice, cents, payer }, line);
    if (firstLine > 0) notes.reportRow('DUPLICATE_ROW', `the first stands on line ${firstLine}`);
  }

  /** A row that is withheld anyway moves no money, so it holds no file. */
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

/** Whether a text is as long as bank and account together, while a short number stands in its place. */
function isExchanged(number: string, text: string): boolean {
  return number.length < SHORTEST_WHOLE && WHOLE_ACCOUNT.test(text);
}

/** A number of fewer digits lacks the nine of the bank. */
const SHORTEST_WHOLE = 12;
const WHOLE_ACCOUNT = /\d{17}/;

/** Zero, which no payment has, for an amount that was found faulty. */
function centsOf(canonical: string): number {
  const cents = parseAmount(canonical);
  return typeof cents === 'number' ? cents : 0;
}
