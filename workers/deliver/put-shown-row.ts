import { columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { type LineBuffer, makeRoom, putText } from '../../src/csv/read/line-buffer.ts';
import { cellsOf, type RawLines, standsInBytes } from '../../src/csv/read/read-raw-lines.ts';
import { csvLines } from '../../src/csv/write/write-csv.ts';
import { plainRowCopier } from './copy-plain-row.ts';
import { shownRow } from './shown-row.ts';

/**
 * Returns a function that writes the cells of an input row as the output files show them, each followed by a comma.
 * @param options.clear shows numbers whole
 * @returns writes one row; `isValid` if it passed the check
 */
export function shownRowPutter(
  layout: LayoutName,
  options: { clear?: boolean } = {},
): (into: LineBuffer, rows: RawLines, place: number, isValid: boolean) => void {
  const copyPlainRow = plainRowCopier(layout, options);
  const line = csvLines({ guard: true });
  const amountAt = new Set([columnsOf(layout).indexOf('amount')]);
  return (into, rows, place, isValid) => {
    if (standsInBytes(rows, place)) {
      const [start, end] = [rows.starts[place]!, rows.ends[place]!];
      const copied = copyPlainRow(rows.bytes, start, end, makeRoom(into, end - start + 1), into.length);
      if (copied >= 0) {
        into.length = copied;
        return;
      }
    }
    const cells = shownRow(layout, cellsOf(rows, place), { ...options, isValid });
    if (cells.length > 0) putText(into, `${line(cells, amountAt).slice(0, -2)},`);
  };
}
