import { duplicateRows } from '../../src/csv/check/duplicate-rows.ts';
import type { Fault } from '../../src/rows/rows.ts';
import type { FlaggedRows } from '../../src/ledger/duplicates/flag-charged-rows.ts';

/**
 * Finds rows of one file that are the same payment written another way, by their fingerprints
 * (crypto/fingerprints/row-print.ts). The check already reports identical rows.
 */
export function likeRows() {
  const { findFirstLineOf } = duplicateRows();
  const words = new Uint32Array(2);
  /** Lines already reported: a row may match others by several of its fingerprints. */
  const found = new Set<number>();
  let first = '';

  /**
   * Returns the fault of a row, by one of its fingerprints; undefined when it is the first of its kind or already
   * reported.
   * @param faults of the rows checked together
   */
  function findFault(prints: Buffer, at: number, line: number, faults: readonly Fault[]): Fault | undefined {
    // The half with the payer comes first, because all rows of a file may share the other half.
    words[0] = prints.readUInt32BE(at + 4) << 2;
    words[1] = prints.readUInt32BE(at);
    const firstLine = findFirstLineOf(words, 0, line);
    if (firstLine === 0 || firstLine === line || found.has(line)) return undefined;
    if (faults.some((fault) => fault.line === line && fault.code === 'DUPLICATE_ROW')) return undefined;
    const detail = `line ${firstLine} of this file`;
    first ||= detail;
    found.add(line);
    return { code: 'LIKE_ROW', line, detail };
  }

  return {
    findFault,
    flagged: (): FlaggedRows[] => (first ? [{ code: 'LIKE_ROW', rows: found.size, detail: first }] : []),
  };
}
