import type { Fault, ReconciledRow } from '../../rows/rows.ts';
import { copyIn } from '../engine/copy-in.ts';
import { COPIED, writeFault, writeOutcome } from '../copy/row-tuples.ts';
import { TupleWriter } from '../copy/tuple-writer.ts';
import type { Transaction } from '../engine/transaction.ts';
import { NO_CODE, OUTCOME_NAMES, type PackedOutcomes } from '../../rows/packed-outcomes.ts';

/**
 * Writes prepared rows to a table by COPY: single inserts would take many times as long, and a file may have a million
 * rows.
 * @param tuples what TupleWriter.take returned; undefined for no rows
 */
export async function copyTuples(tx: Transaction, table: Table, tuples: Uint8Array | undefined): Promise<void> {
  if (tuples) await copyTables(tx, [[table, [tuples]]]);
}

export type Table = keyof typeof COPIED;

/** Does the same for several tables, in one message; each may have several of what TupleWriter.take returned. */
export async function copyTables(
  tx: Transaction,
  tables: readonly (readonly [Table, readonly Uint8Array[]])[],
): Promise<void> {
  const copies = tables.flatMap(([table, tuples]) => (tuples.length > 0 ? [{ into: COPIED[table], tuples }] : []));
  if (copies.length > 0) await copyIn(tx.client, copies);
}

/** @param firstSeq number of the first of these faults within the file, counted from 1 */
export async function copyFaults(
  tx: Transaction,
  fileNo: number,
  firstSeq: number,
  faults: readonly Fault[],
): Promise<void> {
  const tuples = new TupleWriter();
  faults.forEach((fault, index) => writeFault(tuples, fileNo, firstSeq + index, fault));
  await copyTuples(tx, 'faults', tuples.take());
}

/** Outcomes of rows: packed when they came as a whole, or one by one, such as those of a transaction report. */
export type RowOutcomes = PackedOutcomes | readonly ReconciledRow[];

/**
 * Writes outcomes by COPY.
 * @param others of further files or batches
 * @returns their number
 */
export async function copyOutcomes(
  tx: Transaction,
  fileNo: number,
  outcomes: RowOutcomes,
  others: readonly { fileNo: number; outcomes: RowOutcomes }[] = [],
): Promise<number> {
  const parts = [{ fileNo, outcomes }, ...others];
  const room = parts.reduce((sum, part) => sum + ('lines' in part.outcomes ? roomOf(part.outcomes) : 0), 0);
  const tuples = new TupleWriter(room || undefined);
  let copied = 0;
  for (const part of parts) {
    if ('lines' in part.outcomes) writePacked(tuples, part.fileNo, part.outcomes);
    else for (const row of part.outcomes) writeOutcome(tuples, part.fileNo, row);
    copied += 'lines' in part.outcomes ? part.outcomes.rows : part.outcomes.length;
  }
  await copyTuples(tx, 'outcomes', tuples.finish());
  return copied;
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
