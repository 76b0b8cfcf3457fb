import { columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { maskRow } from '../../src/reconcile/outputs/mask-row.ts';

/**
 * Returns the cells of an input row as the output files show them, fit to be read back and dropped again. Numbers are
 * masked unless the folder allows them. The amount is trimmed, because `-5.00 ` would pass for a formula and get an
 * apostrophe. Cells that would make their line unreadable are cut.
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

/** Far above the limit of any column, so it cuts only withheld rows. A line may have twelve such cells. */
const LONGEST_CELL = 500;

function cutCell(cell: string): string {
  if (cell.length <= LONGEST_CELL) return cell;
  const text = cell.trim();
  // Half a surrogate pair would be written as another character.
  return text.length <= LONGEST_CELL ? text : `${text.slice(0, LONGEST_CELL).replace(/[\ud800-\udbff]$/, '')}…`;
}
