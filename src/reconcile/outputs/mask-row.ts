import { COLUMNS, type ColumnName } from '../../../schemas/columns.ts';
import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { passesLuhn } from '../../kernel/luhn.ts';
import { holdsCardNumber, maskNumber, maskText } from '../../kernel/mask.ts';
import { parseAmount } from '../../kernel/money.ts';

/**
 * The cells of an input row as they may leave memory: the card or account number all but its last digits hidden. When
 * the number stands in its column, the other cells keep their text unless they hold it too, so that accounting finds
 * its invoices again. When it does not (columns swapped, say), it may be anywhere, and every long run of digits is
 * hidden.
 */
export function maskRow(layout: LayoutName, cells: readonly string[]): string[] {
  const columns = columnsOf(layout);
  const at = columns.findIndex(isNumberColumn);
  const number = at < 0 ? '' : plainNumber(cells[at] ?? '');
  const isInPlace = cells.length === columns.length && (at < 0 || standsInPlace(columns[at]!, cells, at));
  return cells.map((cell, index) => {
    if (index === at) return maskNumber(cell.trim());
    if (!isInPlace) return hideNumbers(cell);
    if (columns[index] === 'amount' && isAmount(cell)) return cell;
    return holdsCardNumber(cell) || holdsNumber(cell, number) ? hideNumbers(cell) : cell;
  });
}

function isNumberColumn(column: ColumnName): boolean {
  return COLUMNS[column].kind === 'cardNumber' || COLUMNS[column].kind === 'accountNumber';
}

/**
 * Whether the number column holds the number. A card number that passes its check digit and a long account number are
 * taken at their word; a mistyped or short one only when no other cell holds a long number, which might be the true one.
 */
function standsInPlace(column: ColumnName, cells: readonly string[], at: number): boolean {
  const number = plainNumber(cells[at]!);
  const isCard = COLUMNS[column].kind === 'cardNumber';
  if (isCard ? /^\d{12,19}$/.test(number) && passesLuhn(number) : /^\d{12,26}$/.test(number)) return true;
  const mayBeNumber = isCard ? /^\d{12,19}$/.test(number) : /^\d{4,11}$/.test(cells[at]!.trim());
  return mayBeNumber && !cells.some((cell, index) => index !== at && /\d{12}/.test(joinGroups(cell)));
}

/** An amount may hold a short account number by chance. Masked, it could not be added up when the file is read back. */
function isAmount(cell: string): boolean {
  return typeof parseAmount(cell.trim()) === 'number';
}

/** A shorter number may be part of an invoice number by chance, and the invoice would be lost for four digits. */
const SHORTEST_TELLING = 8;

function holdsNumber(cell: string, number: string): boolean {
  return number.length >= SHORTEST_TELLING && joinGroups(cell).includes(number);
}

/** As long as a long number comes out when the groups of digits are joined, the whole cell is hidden. */
function hideNumbers(cell: string): string {
  const masked = maskText(cell);
  return /\d{7}/.test(joinGroups(masked)) ? maskNumber(cell) : masked;
}

/** The number of its own column as people type it. A point is left in: it makes an amount. */
function plainNumber(cell: string): string {
  return cell.replace(/[\s-]/g, '');
}

/** A text without what stands between groups of digits, however much of it. */
function joinGroups(text: string): string {
  return text.replace(/[\s.-]/g, '');
}
