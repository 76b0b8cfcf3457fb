import { layoutOf, REASON_TITLE } from '../../../schemas/layouts.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import type { RawRow } from '../../rows/rows.ts';
import { holdsSecurityCode } from './find-security-code.ts';

/**
 * The data rows of a file without their last column when that holds our reasons: a rejects or retry file comes
 * back as it was written, with its values corrected and the column `Reason` still behind them. Any other file keeps its
 * rows. The check and the writer of output files both read through this, so that both see rows of the layout's width.
 *
 * The column is taken from every row, whatever its width. A row that lacks a cell would otherwise pass for a whole one,
 * its reason sent as the comment.
 * @param header undefined when the file has none
 */
export function leaveOutReason<Row extends RawRow>(
  operation: FolderOperation,
  header: RawRow | undefined,
  rows: readonly Row[],
): readonly Row[] {
  if (!header || !hasReasonColumn(operation, header)) return rows;
  return rows.map((row) => {
    // A security code in the place of the reason is still one; with all its cells the row is refused for it.
    return holdsSecurityCode(operation, row.cells) ? row : { ...row, cells: row.cells.slice(0, -1) };
  });
}

/** Whether a header is that of a layout with `Reason` behind it. Case does not count, as in other titles. */
export function hasReasonColumn(operation: FolderOperation, { cells }: RawRow): boolean {
  const last = cells.at(-1)?.trim().toLowerCase();
  return last === REASON_TITLE.toLowerCase() && layoutOf(operation, cells.length - 1) !== undefined;
}
