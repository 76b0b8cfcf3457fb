import type { ColumnName } from '../../schemas/columns.ts';
import { columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { endsAlike } from '../kernel/mask.ts';
import { parseAmount } from '../kernel/money.ts';
import type { RowResult, SentRow } from '../rows/rows.ts';

/** What names a row of a result file: invoice, amount and the number or code of the payer, as they came. */
export type Identity = { invoice: string; customerCode: string; cents: number; number: string };

/** @returns reads the identity of a result row; undefined where its cells are not those of the layout */
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

/** Whether a result row is that of a sent row (control total H6): invoice, amount and last four or customer code. */
export function isSameRow(sent: SentRow, result: Identity | undefined): boolean {
  return (
    result !== undefined &&
    result.invoice === sent.invoice &&
    result.cents === sent.amountCents &&
    result.customerCode === sent.customerCode &&
    (sent.lastFour === '' ? result.number === '' : endsAlike(result.number, sent.lastFour))
  );
}
