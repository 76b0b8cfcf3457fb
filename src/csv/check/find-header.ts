import { COLUMNS } from '../../../schemas/columns.ts';
import { columnsOf, type LayoutName, layoutOf } from '../../../schemas/layouts.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { counted } from '../../kernel/counted.ts';
import { maskText } from '../../kernel/mask.ts';
import type { Fault, RawRow } from '../../rows/rows.ts';
import { columnsOfTitle, namesSecurityCode } from './column-titles.ts';

/** At least this share of the cells must be titles that are known. */
const SHARE_OF_KNOWN_TITLES = 0.6;

/**
 * Whether the first row of a file is its header: its amount is no number, and most of its cells are known titles or none of
 * them has a digit. A row that is taken for a header is not submitted, so a payment must never look like one; every payment
 * has digits where its amount is. Titles that nobody knows are faults of the header (`checkHeader`).
 */
export function isHeader(operation: FolderOperation, cells: readonly string[]): boolean {
  if (amountCellsOf(operation, cells).some((cell) => /\d/.test(cell))) return false;
  if (titlesSecurityCode(cells) || isOfWords(operation, cells)) return true;
  const known = cells.filter((cell) => columnsOfTitle(cell).length > 0).length;
  return known >= cells.length * SHARE_OF_KNOWN_TITLES;
}

/** A row of as many cells as a layout has, nearly all of them words. Of a payment at least one cell would have a digit left. */
function isOfWords(operation: FolderOperation, cells: readonly string[]): boolean {
  if (!layoutOf(operation, cells.length) || cells.some((cell) => /\p{Nd}/u.test(cell))) return false;
  return cells.filter((cell) => /\p{L}/u.test(cell)).length >= cells.length * SHARE_OF_KNOWN_TITLES;
}

/** A title row that names a security code. Digits of three and more are values, and titles have none. */
export function titlesSecurityCode(cells: readonly string[]): boolean {
  return cells.some(namesSecurityCode) && !cells.some((cell) => /\d{3}/.test(cell));
}

/**
 * What is wrong with a header, whether or not the folder expects one: it names the columns of the layout in another
 * order, so that values would be sent in each other's place, it has a title that nobody knows, under which anything may
 * stand, or it has more or fewer columns than the rows.
 * @param layout undefined when no row names one
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
    const called = other ? `"${COLUMNS[other].title}"` : `"${shownTitle(title)}", which is no title that is known`;
    const detail = `the header calls column ${index + 1} ${called}, here it is "${COLUMNS[column].title}"`;
    return [{ code: 'LAYOUT_FOLDER', line: header.line, column, detail } as const];
  });
}

/** A title is the sender's own text; nobody needs more of it to find it. */
function shownTitle(title: string): string {
  const text = maskText(title.trim());
  return text.length > 30 ? `${text.slice(0, 30)}…` : text;
}

/** The cell of the amount, where the number of columns tells which it is. Otherwise any cell may be it. */
function amountCellsOf(operation: FolderOperation, cells: readonly string[]): readonly string[] {
  const layout = layoutOf(operation, cells.length);
  if (!layout) return cells.filter((cell) => /^\s*-?[$(]?\d/.test(cell));
  return [cells[columnsOf(layout).indexOf('amount')] ?? ''];
}
