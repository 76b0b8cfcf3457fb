import { columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { maskRow } from '../../src/reconcile/outputs/mask-row.ts';

/**
 * The cells of an input row as the output files show them, so that the files can be read back and dropped again: numbers
 * masked unless the folder allows them, the amount without the blanks of fixed columns (with them, `-5.00 ` would pass
 * for a formula and get an apostrophe), and no cell so long that its line could not be read any more.
 */
export function shownRow(
  layout: LayoutName,
  cells: readonly string[],
  { clear = false, isValid = false }: { clear?: boolean; isValid?: boolean } = {},
): string[] {
  const amountAt = columnsOf(layout).indexOf('amount');
  const shown = clear ? cells : maskRow(layout, cells, { isValid });
  return shown.map((cell, index) => cutCell(index === amountAt ? cell.trim() : cell));
}

/** Far above the limit of any column, so it shortens only what was withheld. A line may have twelve of them. */
const LONGEST_CELL = 500;

function cutCell(cell: string): string {
  if (cell.length <= LONGEST_CELL) return cell;
  const text = cell.trim();
  // Half a character would be written as another one.
  return text.length <= LONGEST_CELL ? text : `${text.slice(0, LONGEST_CELL).replace(/[\ud800-\udbff]$/, '')}…`;
}
