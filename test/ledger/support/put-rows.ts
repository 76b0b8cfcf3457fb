import { type NewBatch, type NewRow, writeBatch, writeBody, writeRow } from '../../../src/ledger/copy/row-tuples.ts';
import { tupleWriter } from '../../../src/ledger/copy/tuple-writer.ts';
import type { Transaction } from '../../../src/ledger/engine/transaction.ts';
import { copyTuples, cutBatches } from '../../../src/ledger/row/copy-rows.ts';

/** Writes some rows of a file, as its intake does. */
export async function copyRows(tx: Transaction, fileNo: number, rows: readonly NewRow[]): Promise<void> {
  const tuples = tupleWriter();
  for (const row of rows) writeRow(tuples, fileNo, row);
  await copyTuples(tx, 'rows', tuples.take());
}

/** Writes one batch. */
export async function cutBatch(tx: Transaction, batch: NewBatch): Promise<void> {
  const [batches, bodies] = [tupleWriter(), tupleWriter()];
  writeBatch(batches, tx.at, batch);
  writeBody(bodies, batch);
  await cutBatches(tx, { batches: batches.take(), bodies: bodies.take() });
}
