import type { RawRow } from '../kernel/rows.ts';
import type { Charset } from './decode-text.ts';
import { newFileShape, readRecords } from './read-records.ts';

/**
 * The data rows of a payment file again, in file order and with the line numbers of the check, for the writer of output
 * files. No rule is applied. A line that cannot be read is a row without cells, as it was in the check.
 * @param headerLine what the check found, so that both skip the same line
 */
export async function* readRawRows(
  source: AsyncIterable<Uint8Array>,
  options: { charset: Charset; headerLine: number | null },
): AsyncGenerator<readonly RawRow[]> {
  for await (const records of readRecords(source, options.charset, newFileShape())) {
    const rows = records.filter((record) => record.line !== options.headerLine);
    if (rows.length > 0) yield rows.map(({ line, cells }) => ({ line, cells }));
  }
}
