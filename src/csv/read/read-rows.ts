import type { RawRow } from '../../rows/rows.ts';
import { cellsOf, type RawLineOptions, readRawLines } from './read-raw-lines.ts';

/** Reads the data rows of a payment file again, as `readRawLines` finds them, each with its cells. */
export async function* readRawRows(
  source: AsyncIterable<Uint8Array>,
  options: RawLineOptions,
): AsyncGenerator<readonly RawRow[]> {
  for await (const rows of readRawLines(source, options)) {
    if (rows.lines.length > 0) yield rows.lines.map((line, place) => ({ line, cells: cellsOf(rows, place) }));
  }
}
