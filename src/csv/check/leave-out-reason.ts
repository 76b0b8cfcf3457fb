import { layoutOf, REASON_TITLE } from '../../../schemas/layouts.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import type { RawRow } from '../../rows/rows.ts';
import { holdsSecurityCode } from './find-security-code.ts';

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
