import { type ColumnName, columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { endsAlike, maskText } from '../kernel/mask.ts';
import { formatCents, parseAmount } from '../kernel/money.ts';
import type { RowResult, SentRow } from '../rows/rows.ts';
import { keptMessage } from './kept-message.ts';

/** One side of a comparison, for a person. At most the last four digits of a number are readable. */
export type ShownSide = { invoice: string; total: string; payer: string };

/** A sent row and the result row beside it; `undefined` where one side has none. */
export type ComparedRow = {
  /** Position in the result file, or among the sent rows if the result lacks the row. Counted from 1. */
  position: number;
  line: number | undefined;
  isSame: boolean;
  sent: ShownSide | undefined;
  /** Cells that do not fit the layout are only counted. */
  result: ((ShownSide | { cells: number }) & { message: string }) | undefined;
};

/** Returns all sent rows beside all result rows, in the order of both. */
export function compareRows(
  layout: LayoutName,
  sent: readonly SentRow[],
  results: readonly RowResult[],
): ComparedRow[] {
  const read = identityReader(layout);
  const found = results.map((result, index) => ({ result, index, identity: read(result) }));
  return alignRows(
    sent.map((row, index) => ({ row, index })),
    found,
    ({ row }, { identity }) => isSameRow(row, identity),
  ).map(({ left, right, isSame }) => ({
    position: (right ?? left!).index + 1,
    line: left?.row.line,
    isSame,
    sent: left && showSent(left.row),
    result: right && showResult(right.result, right.identity, left?.row),
  }));
}

function showSent({ invoice, amountCents, customerCode, lastFour }: SentRow): ShownSide {
  return { invoice, total: formatCents(amountCents), payer: payerOf(customerCode, lastFour) };
}

/** Shows texts in full only where we sent the same, because a foreign row may hold its number in any cell. */
function showResult(
  result: RowResult,
  identity: Identity | undefined,
  sent: SentRow | undefined,
): ComparedRow['result'] {
  const message = keptMessage(result.message);
  if (!identity) return { cells: result.cells.length, message };
  const { invoice, customerCode, cents, number } = identity;
  const code = customerCode === sent?.customerCode ? customerCode : maskText(customerCode);
  return {
    invoice: invoice === sent?.invoice ? invoice : maskText(invoice),
    total: formatCents(cents),
    payer: payerOf(code, endOf(number)),
    message,
  };
}

function payerOf(customerCode: string, lastFour: string): string {
  return customerCode ? `code ${customerCode}` : `number ending ${lastFour}`;
}

/** Shows two digits of a short number: four would be most of it, and the service may have left it unmasked. */
function endOf(number: string): string {
  return number.slice(number.length < 8 ? -2 : -4);
}

/** An entry of two aligned lists. Where they differ, one side may be missing. */
type Aligned<Left, Right> = { left: Left | undefined; right: Right | undefined; isSame: boolean };

/** Most comparisons of each entry with each; larger lists are paired in order. */
const MOST_COMPARISONS = 1_000_000;

/**
 * Aligns two lists so that as many entries as possible stand beside their match. A missing row then shows as one gap,
 * not as a difference in every later row. Between matches, the other entries are paired in order.
 */
export function alignRows<Left, Right>(
  lefts: readonly Left[],
  rights: readonly Right[],
  isSame: (left: Left, right: Right) => boolean,
): Aligned<Left, Right>[] {
  const shorter = Math.min(lefts.length, rights.length);
  let head = 0;
  while (head < shorter && isSame(lefts[head]!, rights[head]!)) head += 1;
  let tail = 0;
  while (tail < shorter - head && isSame(lefts.at(-1 - tail)!, rights.at(-1 - tail)!)) tail += 1;
  const middleLefts = lefts.slice(head, lefts.length - tail);
  const middleRights = rights.slice(head, rights.length - tail);
  return [
    ...pairUp(lefts.slice(0, head), rights.slice(0, head), true),
    ...alignMiddle(middleLefts, middleRights, isSame),
    ...pairUp(lefts.slice(lefts.length - tail), rights.slice(rights.length - tail), true),
  ];
}

function alignMiddle<Left, Right>(
  lefts: readonly Left[],
  rights: readonly Right[],
  isSame: (left: Left, right: Right) => boolean,
): Aligned<Left, Right>[] {
  if (lefts.length * rights.length > MOST_COMPARISONS) {
    return pairUp(lefts, rights, false).map((pair) => ({
      ...pair,
      isSame: pair.left !== undefined && pair.right !== undefined && isSame(pair.left, pair.right),
    }));
  }
  const longest = longestCommon(lefts, rights, isSame);
  const aligned: Aligned<Left, Right>[] = [];
  let from = { left: 0, right: 0 };
  for (const fit of [...longest, { left: lefts.length, right: rights.length }]) {
    aligned.push(...pairUp(lefts.slice(from.left, fit.left), rights.slice(from.right, fit.right), false));
    if (fit.left < lefts.length) aligned.push({ left: lefts[fit.left], right: rights[fit.right], isSame: true });
    from = { left: fit.left + 1, right: fit.right + 1 };
  }
  return aligned;
}

function longestCommon<Left, Right>(
  lefts: readonly Left[],
  rights: readonly Right[],
  isSame: (left: Left, right: Right) => boolean,
): { left: number; right: number }[] {
  const width = rights.length + 1;
  const fits = lefts.map((left) => rights.map((right) => isSame(left, right)));
  const lengths = new Uint32Array((lefts.length + 1) * width);
  for (let i = lefts.length - 1; i >= 0; i--) {
    for (let j = rights.length - 1; j >= 0; j--) {
      const below = lengths[(i + 1) * width + j]!;
      const beside = lengths[i * width + j + 1]!;
      lengths[i * width + j] = fits[i]![j] ? lengths[(i + 1) * width + j + 1]! + 1 : Math.max(below, beside);
    }
  }
  const places: { left: number; right: number }[] = [];
  for (let i = 0, j = 0; i < lefts.length && j < rights.length; ) {
    if (fits[i]![j]) places.push({ left: i++, right: j++ });
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i += 1;
    else j += 1;
  }
  return places;
}

function pairUp<Left, Right>(
  lefts: readonly Left[],
  rights: readonly Right[],
  isSame: boolean,
): Aligned<Left, Right>[] {
  const length = Math.max(lefts.length, rights.length);
  return Array.from({ length }, (_, index) => ({ left: lefts[index], right: rights[index], isSame }));
}

/** What identifies a row of a result file, as received: invoice, amount, and the payer's number or code. */
export type Identity = { invoice: string; customerCode: string; cents: number; number: string };

/** Returns a reader of a result row's identity; it returns undefined where the cells do not fit the layout. */
export function identityReader(layout: LayoutName): (result: RowResult) => Identity | undefined {
  const columns = columnsOf(layout);
  const at = (column: ColumnName) => columns.indexOf(column);
  const invoice = at('invoice');
  const code = at('customerCode');
  const amount = at('amount');
  const number = Math.max(at('cardNumber'), at('accountNumber'));
  return ({ cells }) => {
    if (cells.length !== columns.length) return undefined;
    const cents = parseAmount(cells[amount]!.trim());
    if (typeof cents !== 'number') return undefined;
    return {
      invoice: cells[invoice]!.trim(),
      customerCode: code < 0 ? '' : cells[code]!.trim(),
      cents,
      number: number < 0 ? '' : cells[number]!.trim(),
    };
  };
}

/** Returns whether a result row is a sent row (control total H6): same invoice, amount, and last four or code. */
export function isSameRow(sent: SentRow, result: Identity | undefined): boolean {
  return (
    result !== undefined &&
    result.invoice === sent.invoice &&
    result.cents === sent.amountCents &&
    result.customerCode === sent.customerCode &&
    (sent.lastFour === '' ? result.number === '' : endsAlike(result.number, sent.lastFour))
  );
}
