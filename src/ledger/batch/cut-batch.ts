import { type NewBatch, writeBatch, writeBody } from '../copy/row-tuples.ts';
import { tupleWriter } from '../copy/tuple-writer.ts';
import { copyTables } from '../row/copy-rows.ts';
import type { Transaction } from '../engine/transaction.ts';

export type { NewBatch } from '../copy/row-tuples.ts';

/** Batches made ready for COPY: themselves, and their sealed bodies. */
export type BatchTuples = { batches?: Uint8Array | undefined; bodies?: Uint8Array | undefined };

/**
 * Move `cut`: batches of accepted rows with their canonical bytes, sealed, many at a time. Their audit link is that of the
 * file.
 * @param others what goes in behind them in the same message, such as their rows
 */
export async function cutBatches(
  tx: Transaction,
  { batches, bodies }: BatchTuples,
  others: Parameters<typeof copyTables>[1] = [],
): Promise<void> {
  await copyTables(tx, [['batches', batches], ['bodies', bodies], ...others]);
}

/** The same for one. */
export async function cutBatch(tx: Transaction, batch: NewBatch): Promise<void> {
  const [batches, bodies] = [tupleWriter(), tupleWriter()];
  writeBatch(batches, tx.at, batch);
  writeBody(bodies, batch);
  await cutBatches(tx, { batches: batches.take(), bodies: bodies.take() });
}
