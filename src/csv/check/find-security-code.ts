import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';

/** The layouts with a card number, beside which a security code could stand. */
const CARD_LAYOUTS = ['card', 'card-ca'] as const satisfies readonly LayoutName[];

/**
 * Returns whether a row with one extra column seems to hold a card security code: three or four digits after the
 * amount. Without that cell, the row must be a card payment.
 *
 * Cells before the amount are ignored: digits there are a row number or part of a street with a comma. This matters
 * because a file with a security code is destroyed.
 */
export function holdsSecurityCode(operation: FolderOperation, cells: readonly string[]): boolean {
  if (operation !== 'card') return false;
  return CARD_LAYOUTS.some((layout) => {
    const columns = columnsOf(layout);
    if (cells.length !== columns.length + 1) return false;
    return cells.some((cell, extra) => {
      if (extra <= columns.indexOf('amount') || !/^\d{3,4}$/.test(cell.trim())) return false;
      return isCardPayment(layout, cells.toSpliced(extra, 1));
    });
  });
}

function isCardPayment(layout: LayoutName, cells: readonly string[]): boolean {
  const columns = columnsOf(layout);
  const cellOf = (column: 'amount' | 'cardNumber' | 'expiry') => cells[columns.indexOf(column)]?.trim() ?? '';
  return (
    /\d/.test(cellOf('amount')) &&
    /^\d{12,19}$/.test(cellOf('cardNumber').replace(/[ -]/g, '')) &&
    /^(?:\d{3,4}|\d{1,2}\/\d{2}(?:\d{2})?)$/.test(cellOf('expiry'))
  );
}
