import { COLUMNS, columnsOf, type LayoutName, layoutOf } from '../../../schemas/layouts.ts';
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
