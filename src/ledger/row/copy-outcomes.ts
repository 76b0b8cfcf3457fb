import { NO_CODE, OUTCOME_NAMES, type PackedOutcomes } from '../../rows/packed-outcomes.ts';
import type { ReconciledRow } from '../../rows/rows.ts';
import { writeOutcome } from '../copy/row-tuples.ts';
import { type TupleWriter, tupleWriter } from '../copy/tuple-writer.ts';
import { copyTuples } from './copy-rows.ts';
import type { Transaction } from '../engine/transaction.ts';

/** Outcomes of rows: packed when they came as a whole, or one by one, such as those of a transaction report. */
export type RowOutcomes = PackedOutcomes | readonly ReconciledRow[];

/**
 * Writes outcomes by COPY.
 * @returns their number
 */
export async function copyOutcomes(tx: Transaction, fileNo: number, outcomes: RowOutcomes): Promise<number> {
  const isPacked = 'lines' in outcomes;
  const tuples = tupleWriter(isPacked ? roomOf(outcomes) : undefined);
  if (isPacked) writePacked(tuples, fileNo, outcomes);
  else for (const row of outcomes) writeOutcome(tuples, fileNo, row);
  await copyTuples(tx, 'outcomes', tuples.finish());
  return isPacked ? outcomes.rows : outcomes.length;
}

const NAMES = OUTCOME_NAMES.map((name) => Buffer.from(name));

/**
 * Returns the most bytes the rows need: number and lengths of their columns, three numbers, the name, and the texts.
 */
function roomOf({ rows, texts }: PackedOutcomes): number {
  return rows * (2 + 6 * 4 + 8 + 4 + 4 + LONGEST_NAME) + texts.length;
}

const LONGEST_NAME = Math.max(...NAMES.map((name) => name.length));

/** Writes the same columns as `writeOutcome`, from bytes to bytes. */
function writePacked(to: TupleWriter, fileNo: number, { rows, lines, outcomes, codes, texts, ends }: PackedOutcomes) {
  let text = 0;
  const writeText = (end: number) => {
    to.bytes(texts, text, end);
    text = end;
  };
  for (let row = 0; row < rows; row += 1) {
    const name = NAMES[outcomes[row]!]!;
    to.begin(6);
    to.int8(fileNo);
    to.int4(lines[row]!);
    to.bytes(name, 0, name.length);
    if (codes[row] === NO_CODE) to.null();
    else to.int4(codes[row]!);
    writeText(ends[2 * row]!);
    writeText(ends[2 * row + 1]!);
  }
}
