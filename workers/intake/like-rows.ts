import { duplicateRows } from '../../src/csv/check/duplicate-rows.ts';
import type { Fault } from '../../src/rows/rows.ts';
import type { FlaggedRows } from '../../src/ledger/duplicates/flag-charged-rows.ts';

/**
 * Finds rows of one file that are the same payment written in another way, by their prints (crypto/fingerprints/row-print.ts). Two that are
 * the same to the letter are found by the check, which says so already.
 */
export function likeRows() {
  const { findFirstLineOf } = duplicateRows();
  const words = new Uint32Array(2);
  /** A row may be like others by both of its prints. */
  const found = new Set<number>();
  let first = '';

  /**
   * The fault of a row, by one of its prints; undefined when it is the first of its kind.
   * @param faults of the rows that were checked together
   */
  function findFault(prints: Buffer, at: number, line: number, faults: readonly Fault[]): Fault | undefined {
    // The half that is of the payer as well comes first, because all rows of a file may have the other one.
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
    /** All that was found. */
    flagged: (): FlaggedRows[] => (first ? [{ code: 'LIKE_ROW', rows: found.size, detail: first }] : []),
  };
}
