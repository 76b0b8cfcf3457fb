import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';

/** The layouts that have a card number, which a security code could stand beside. */
const CARD_LAYOUTS = ['card', 'card-ca'] as const satisfies readonly LayoutName[];

/**
 * Whether a row with one column too many seems to hold a card security code: a cell of three or four digits behind the
 * amount, without which the rest is a card payment.
 *
 * Cells before the amount are left out: there, a cell of digits is a row number or the rest of a street with a comma
 * in it, and a file that holds a security code is destroyed.
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
