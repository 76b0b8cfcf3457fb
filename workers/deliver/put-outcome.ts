import { OUTCOMES } from '../../schemas/lifecycle.ts';
import { type LineBuffer, putText } from '../../src/csv/line-buffer.ts';
import { csvLines } from '../../src/csv/write-csv.ts';
import { type FinishedRow, resultCells } from '../../src/reconcile/outputs/result-row.ts';

/**
 * Puts the cells of a result line that stand behind those of the input, and the end of the line. Nearly all rows have a
 * plain message, and share the rest of the line with the row before; the others go through `resultCells` whole.
 */
export function outcomePutter(): (into: LineBuffer, row: FinishedRow) => void {
  const line = csvLines({ guard: true });
  let before: FinishedRow | undefined;
  let shared = '';
  return (into, row) => {
    if (!PLAIN_CELL.test(row.message) || !PLAIN_CELL.test(row.authorization)) {
      putText(into, line(resultCells(row, []).slice(1)));
      return;
    }
    if (!before || !isSentAlike(before, row)) shared = line(resultCells(row, []).slice(FIRST_SHARED));
    before = row;
    putText(into, `${OUTCOMES[row.outcome].label},${row.code ?? ''},${row.message},${row.authorization},${shared}`);
  };
}

/** Printable ASCII that needs no quotes, and does not begin like a formula. */
const PLAIN_CELL = /^(?:[ !#-*.-<>?A-~][ !#-+\--~]*)?$/;

/** Place of the batch id among the cells of a row without input: line, outcome, code, message and authorization stand before. */
const FIRST_SHARED = 5;

function isSentAlike(one: FinishedRow, other: FinishedRow): boolean {
  return (
    one.batchId === other.batchId &&
    one.sentAt === other.sentAt &&
    one.resultAt === other.resultAt &&
    one.attempt === other.attempt
  );
}
