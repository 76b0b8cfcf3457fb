import type { FolderOperation } from '../../schemas/operations.ts';
import type { RawRow } from '../kernel/rows.ts';
import type { Charset } from './decode-text.ts';
import { leaveOutReason } from './leave-out-reason.ts';
import { newFileShape, readRecords } from './read-records.ts';

/**
 * The data rows of a payment file again, in file order and with the line numbers of the check, for the writer of output
 * files. No rule is applied. A line that cannot be read is a row without cells, as it was in the check.
 * @param options.headerLine what the check found, so that both skip the same line
 * @param options.operation  of a payment file, whose column of reasons is left out as in the check; a file of another
 *                           kind, such as a result file, is read without
 */
export async function* readRawRows(
  source: AsyncIterable<Uint8Array>,
  options: { charset: Charset; headerLine: number | null; operation?: FolderOperation },
): AsyncGenerator<readonly RawRow[]> {
  const { charset, headerLine, operation } = options;
  let header: RawRow | undefined;
  for await (const records of readRecords(source, charset, newFileShape())) {
    header ??= records.find((record) => record.line === headerLine);
    const data = records.filter((record) => record !== header);
    const rows = operation ? leaveOutReason(operation, header, data) : data;
    if (rows.length > 0) yield rows.map(({ line, cells }) => ({ line, cells }));
  }
}
