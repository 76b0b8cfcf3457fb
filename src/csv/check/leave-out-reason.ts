import { columnsOf, type LayoutName, layoutOf, REASON_TITLE } from '../../../schemas/layouts.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import type { RawRow } from '../../rows/rows.ts';

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
