import { COLUMNS, columnsOf, type LayoutName, layoutOf, REASON_TITLE } from '../../../schemas/layouts.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { counted } from '../../kernel/counted.ts';
import { maskText } from '../../kernel/mask.ts';
import type { Fault, RawRow } from '../../rows/rows.ts';
import { columnsOfTitle, namesSecurityCode } from './column-titles.ts';

/** At least this share of a header's cells must be known titles, or words. */
const SHARE_OF_KNOWN_TITLES = 0.6;

/**
 * Returns whether the first row of a file is its header. Its amount has no digits, and most cells are known titles or
 * no cell has a digit. A row that names a security code is one too.
 *
 * Headers are not submitted, so a payment must never look like one; every payment has digits in its amount. Unknown
 * titles are faults of the header (`checkHeader`).
 */
export function isHeader(operation: FolderOperation, cells: readonly string[]): boolean {
  if (amountCellsOf(operation, cells).some((cell) => /\d/.test(cell))) return false;
  if (titlesSecurityCode(cells) || isOfWords(operation, cells)) return true;
  const known = cells.filter((cell) => columnsOfTitle(cell).length > 0).length;
  return known >= cells.length * SHARE_OF_KNOWN_TITLES;
}

/**
 * Returns whether a later row repeats the titles: its amount has no digits, and most cells are known titles. A row of
 * other words is a fault of its own.
 */
export function repeatsTitles(operation: FolderOperation, cells: readonly string[]): boolean {
  return !amountCellsOf(operation, cells).some((cell) => /\d/.test(cell)) && hasKnownTitles(cells);
}

function hasKnownTitles(cells: readonly string[]): boolean {
  const known = cells.filter((cell) => columnsOfTitle(cell).length > 0).length;
  return known > 1 && known >= cells.length * SHARE_OF_KNOWN_TITLES;
}

/** Returns whether a row has a layout's width, no digits, and letters in most cells. Payments have digits. */
function isOfWords(operation: FolderOperation, cells: readonly string[]): boolean {
  if (!layoutOf(operation, cells.length) || cells.some((cell) => /\p{Nd}/u.test(cell))) return false;
  return cells.filter((cell) => /\p{L}/u.test(cell)).length >= cells.length * SHARE_OF_KNOWN_TITLES;
}

/** Returns whether a title row names a security code. Three digits in a row make a value, not a title. */
export function titlesSecurityCode(cells: readonly string[]): boolean {
  return cells.some(namesSecurityCode) && !cells.some((cell) => /\d{3}/.test(cell));
}

/**
 * Finds the faults of a header, even if the folder expects none. Columns in another order would swap values, and an
 * unknown title may stand over anything. The number of columns may also differ from the rows.
 * @param layout undefined when no row matches one
 */
export function checkHeader(header: RawRow, layout: LayoutName | undefined): Fault[] {
  if (!layout) return [];
  const columns = columnsOf(layout);
  if (header.cells.length !== columns.length) {
    const detail = `the header has ${counted(header.cells.length, 'column')}, the rows have ${columns.length}`;
    return [{ code: 'COLUMN_COUNT', line: header.line, detail }];
  }
  return columns.flatMap((column, index) => {
    const title = header.cells[index] ?? '';
    const named = columnsOfTitle(title);
    if (named.includes(column)) return [];
    const [other] = named;
    const called = other ? `"${COLUMNS[other].title}"` : `"${shownTitle(title)}", which is not a known title`;
    const detail = `the header calls column ${index + 1} ${called}, but here it is "${COLUMNS[column].title}"`;
    return [{ code: 'LAYOUT_FOLDER', line: header.line, column, detail } as const];
  });
}

/** Shortens a title. It is the sender's own text, and its beginning is enough to find it. */
export function shownTitle(title: string): string {
  const text = maskText(title.trim());
  return text.length > 30 ? `${text.slice(0, 30)}…` : text;
}

/** Returns the amount cell if the number of columns identifies it, otherwise all cells that may hold it. */
function amountCellsOf(operation: FolderOperation, cells: readonly string[]): readonly string[] {
  const layout = layoutOf(operation, cells.length);
  if (!layout) return cells.filter((cell) => /^\s*-?[$(]?\d/.test(cell));
  return [cells[columnsOf(layout).indexOf('amount')] ?? ''];
}

/**
 * Drops the last column of the data rows when it holds paydrop's reasons. A rejects or retry file comes back corrected,
 * with the column `Reason` still in place. Other files keep their rows. The check and the writer of output files both
 * use this, so both see rows of the layout's width.
 *
 * It drops the last cell of every row, whatever its width. Otherwise a row that lacks a cell would pass as complete,
 * with its reason sent as the comment.
 * @param header undefined when the file has none
 */
export function leaveOutReason<Row extends RawRow>(
  operation: FolderOperation,
  header: RawRow | undefined,
  rows: readonly Row[],
): readonly Row[] {
  if (!header || !hasReasonColumn(operation, header)) return rows;
  return rows.map((row) => {
    // A security code in place of the reason is still one. The row keeps all cells and is refused for it.
    return holdsSecurityCode(operation, row.cells) ? row : { ...row, cells: row.cells.slice(0, -1) };
  });
}

/** Returns whether a header is a layout's with `Reason` at the end. As in other titles, case is ignored. */
export function hasReasonColumn(operation: FolderOperation, { cells }: RawRow): boolean {
  const last = cells.at(-1)?.trim().toLowerCase();
  return last === REASON_TITLE.toLowerCase() && layoutOf(operation, cells.length - 1) !== undefined;
}

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
