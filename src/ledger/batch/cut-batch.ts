import { type NewBatch, writeBatch, writeBody } from '../copy/row-tuples.ts';
import { tupleWriter } from '../copy/tuple-writer.ts';
import { copyTables } from '../row/copy-rows.ts';
import type { Transaction } from '../engine/transaction.ts';

export type { NewBatch } from '../copy/row-tuples.ts';

/** Batches and their sealed bodies, encoded for COPY. */
export type BatchTuples = { batches?: Uint8Array | undefined; bodies?: Uint8Array | undefined };

/**
 * Move `cut`: writes batches of accepted rows with their sealed canonical bytes, many at a time. The audit link of the
 * file covers them.
 * @param others tables that follow in the same message, such as the rows
 */
export async function cutBatches(
  tx: Transaction,
  { batches, bodies }: BatchTuples,
  others: Parameters<typeof copyTables>[1] = [],
): Promise<void> {
  await copyTables(tx, [['batches', batches], ['bodies', bodies], ...others]);
}

/** Writes one batch. */
export async function cutBatch(tx: Transaction, batch: NewBatch): Promise<void> {
  const [batches, bodies] = [tupleWriter(), tupleWriter()];
  writeBatch(batches, tx.at, batch);
  writeBody(bodies, batch);
  await cutBatches(tx, { batches: batches.take(), bodies: bodies.take() });
}
