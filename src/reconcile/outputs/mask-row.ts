import { COLUMNS, type ColumnName } from '../../../schemas/columns.ts';
import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { passesLuhn } from '../../kernel/luhn.ts';
import { holdsCardNumber, maskNumber, maskText } from '../../kernel/mask.ts';

/**
 * The cells of an input row as they may leave memory: the card or account number all but its last digits hidden. When
 * the number stands in its column, the other cells keep their text unless they hold it too, so that accounting finds
 * its invoices again. When it does not (columns swapped, say), it may be anywhere, and every long run of digits is
 * hidden.
 */
export function maskRow(layout: LayoutName, cells: readonly string[]): string[] {
  const columns = columnsOf(layout);
  const at = columns.findIndex(isNumberColumn);
  const number = at < 0 ? '' : (cells[at] ?? '').trim();
  const isInPlace = at < 0 || (cells.length === columns.length && looksRight(columns[at]!, number));
  return cells.map((cell, index) => {
    if (index === at) return maskNumber(cell.trim());
    if (!isInPlace) return maskText(cell);
    return holdsCardNumber(cell) || (number !== '' && cell.includes(number)) ? maskText(cell) : cell;
  });
}

function isNumberColumn(column: ColumnName): boolean {
  return COLUMNS[column].kind === 'cardNumber' || COLUMNS[column].kind === 'accountNumber';
}

function looksRight(column: ColumnName, number: string): boolean {
  return COLUMNS[column].kind === 'cardNumber'
    ? /^\d{12,19}$/.test(number) && passesLuhn(number)
    : /^\d{4,26}$/.test(number);
}
