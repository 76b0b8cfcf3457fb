import type { LayoutName } from '../../schemas/layouts.ts';
import { maskText } from '../kernel/mask.ts';
import { formatCents } from '../kernel/money.ts';
import type { RowResult, SentRow } from '../rows/rows.ts';
import { alignRows } from './align-rows.ts';
import { keptMessage } from './kept-message.ts';
import { type Identity, identityReader, isSameRow } from './row-identity.ts';

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
