import type { ColumnName } from '../../schemas/columns.ts';
import { columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { endsAlike } from '../kernel/mask.ts';
import { parseAmount } from '../kernel/money.ts';
import type { RowResult, SentRow } from '../rows/rows.ts';

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
