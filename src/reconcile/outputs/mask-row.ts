import { type ColumnName, COLUMNS, columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { passesLuhn } from '../../kernel/luhn.ts';
import { hideNumbers, holdsCardNumber, isDay, joinGroups, maskNumber } from '../../kernel/mask.ts';
import { parseAmount } from '../../kernel/money.ts';
import { joinedDigits, plainDigits, SHORTEST_TELLING } from '../../kernel/plain-digits.ts';

/**
 * Masks the cells of an input row so that they may leave memory: the card or account number keeps only its last digits.
 *
 * For a valid row the layout names that cell, and the check ensured that no text holds a number. So all other cells
 * stay, and accounting finds its invoices and adds up its amounts. In a withheld row columns may be swapped. If the
 * number is not in its place it may be anywhere. Every long run of digits is then masked, except in what is certainly
 * an amount or a date.
 * @param options.isValid the row passed the check
 */
export function maskRow(
  layout: LayoutName,
  cells: readonly string[],
  { isValid = false }: { isValid?: boolean } = {},
): string[] {
  const columns = columnsOf(layout);
  const at = columns.findIndex(isNumberColumn);
  const starShort = shortNumberStarrer(columns, cells[at] ?? '');
  const maskCell = isValid ? starShort : cellMasker(columns, cells, at, starShort);
  return cells.map((cell, index) => (index === at ? maskNumber(cell.trim()) : maskCell(cell, index)));
}

type CellMasker = (cell: string, index: number) => string;

/** Masks a short account number in free text where it stands alone; elsewhere it may be part of another number. */
function shortNumberStarrer(columns: readonly ColumnName[], cell: string): CellMasker {
  const number = cell.trim();
  if (!SHORT_NUMBER.test(number)) return (text) => text;
  const alone = new RegExp(`(?<![\\p{L}\\p{N}])${number}(?![\\p{L}\\p{N}])`, 'gu');
  const isFreeText = (index: number) => columns[index] !== undefined && COLUMNS[columns[index]].freeText;
  return (text, index) => (isFreeText(index) ? text.replace(alone, maskNumber(number)) : text);
}

const SHORT_NUMBER = /^\d{5,7}$/;

function cellMasker(
  columns: readonly ColumnName[],
  cells: readonly string[],
  at: number,
  starShort: CellMasker,
): CellMasker {
  const number = at < 0 ? '' : joinedDigits(cells[at] ?? '');
  const isWhole = cells.length === columns.length;
  const isInPlace = isWhole && (at < 0 || standsInPlace(columns[at]!, cells, at));
  return (cell, index) => {
    const kind = isWhole ? COLUMNS[columns[index]!].kind : 'text';
    if (kind === 'amount' && isAmount(cell, isInPlace)) return cell;
    if (kind === 'date' && isDay(cell.trim())) return cell;
    if (number.length >= SHORTEST_TELLING && joinedDigits(cell).includes(number)) return hideOwn(cell, number);
    return !isInPlace || holdsCardNumber(cell) ? hideNumbers(cell) : starShort(cell, index);
  };
}

function isNumberColumn(column: ColumnName): boolean {
  return COLUMNS[column].kind === 'cardNumber' || COLUMNS[column].kind === 'accountNumber';
}

/**
 * Returns whether the number column holds the number. A card number with a valid check digit and a long account number
 * are trusted. A short one, or one with a slip such as a letter, is trusted only if no other cell holds a long number.
 */
function standsInPlace(column: ColumnName, cells: readonly string[], at: number): boolean {
  const number = plainNumber(cells[at]!);
  const isCard = COLUMNS[column].kind === 'cardNumber';
  if (isCard ? /^\d{12,19}$/.test(number) && passesLuhn(number) : /^\d{12,26}$/.test(number)) return true;
  const digits = number.replace(/\D/g, '').length;
  const mayBeNumber = isCard
    ? digits >= 12 && digits <= 19
    : digits >= WHOLE_ACCOUNT || /^\d{4,11}$/.test(cells[at]!.trim());
  return mayBeNumber && !cells.some((cell, index) => index !== at && /\d{12}/.test(joinGroups(cell)));
}

/** Digits of bank and account together; invoices in their place have fewer. */
const WHOLE_ACCOUNT = 17;

/**
 * Returns whether to show a cell as an amount. A masked amount could not be added up when the file is read back. So
 * only a possible number is masked: without a point, longer than most amounts, in a row whose number is not in place.
 */
function isAmount(cell: string, isInPlace: boolean): boolean {
  const amount = cell.trim();
  return typeof parseAmount(amount) === 'number' && (isInPlace || /^-?\d+\.\d+$|^-?\d{1,6}$/.test(amount));
}

/** Hides the row's own number, whatever characters split it into groups. */
function hideOwn(cell: string, number: string): string {
  const digits = plainDigits(cell);
  return joinGroups(digits).includes(number) ? hideNumbers(cell) : maskNumber(digits);
}

/** Removes the separators that users type in a number. A point stays, because it makes an amount. */
function plainNumber(cell: string): string {
  return cell.replace(/[\s-]/g, '');
}
