import type { Fault } from '../../rows/rows.ts';
import { copyIn } from '../engine/copy-in.ts';
import { COPIED, type NewRow, writeFault, writeRow } from '../copy/row-tuples.ts';
import { type TupleWriter, tupleWriter } from '../copy/tuple-writer.ts';
import type { Transaction } from '../engine/transaction.ts';

export type { NewRow } from '../copy/row-tuples.ts';

/**
 * Writes prepared rows to a table by COPY: single inserts would take many times as long, and a file may have a million
 * rows.
 * @param tuples what TupleWriter.take returned; undefined for no rows
 */
export async function copyTuples(tx: Transaction, table: Table, tuples: Uint8Array | undefined): Promise<void> {
  await copyTables(tx, [[table, tuples]]);
}

type Table = keyof typeof COPIED;

/** Same for several tables, in this order, in one message. */
export async function copyTables(
  tx: Transaction,
  tables: readonly (readonly [Table, Uint8Array | undefined])[],
): Promise<void> {
  const copies = tables.flatMap(([table, tuples]) => (tuples ? [{ into: COPIED[table], tuples }] : []));
  if (copies.length > 0) await copyIn(tx.client, copies);
}

export async function copyRows(tx: Transaction, fileNo: number, rows: readonly NewRow[]): Promise<void> {
  await copyEach(tx, 'rows', rows, (to, row) => writeRow(to, fileNo, row));
}

/** @param firstSeq number of the first of these faults within the file, counted from 1 */
export async function copyFaults(
  tx: Transaction,
  fileNo: number,
  firstSeq: number,
  faults: readonly Fault[],
): Promise<void> {
  await copyEach(tx, 'faults', faults, (to, fault, index) => writeFault(to, fileNo, firstSeq + index, fault));
}

async function copyEach<Row>(
  tx: Transaction,
  table: Table,
  rows: readonly Row[],
  write: (to: TupleWriter, row: Row, index: number) => void,
): Promise<void> {
  const tuples = tupleWriter();
  rows.forEach((row, index) => write(tuples, row, index));
  await copyTuples(tx, table, tuples.take());
}
