import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import copyStreams from 'pg-copy-streams';
import type { Fault } from '../kernel/rows.ts';
import { COPIED, type NewRow, writeFault, writeRow } from './copy/row-tuples.ts';
import { type TupleWriter, tupleWriter } from './copy/tuple-writer.ts';
import type { Transaction } from './transaction.ts';

export type { NewRow } from './copy/row-tuples.ts';

/**
 * Writes rows that were made ready for a table by COPY: single inserts would take many times as long, and a file may have
 * a million.
 * @param tuples what TupleWriter.take gave; undefined for no rows
 */
export async function copyTuples(
  tx: Transaction,
  table: keyof typeof COPIED,
  tuples: Uint8Array | undefined,
): Promise<void> {
  if (!tuples) return;
  const copy = tx.client.query(copyStreams.from(`COPY ${COPIED[table]} FROM STDIN (FORMAT binary)`));
  await pipeline(Readable.from([tuples]), copy);
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
  table: keyof typeof COPIED,
  rows: readonly Row[],
  write: (to: TupleWriter, row: Row, index: number) => void,
): Promise<void> {
  const tuples = tupleWriter();
  rows.forEach((row, index) => write(tuples, row, index));
  await copyTuples(tx, table, tuples.take());
}
