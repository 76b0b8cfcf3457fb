import type { App } from '../../src/app.ts';
import { readResultFile } from '../../src/csv/read/read-result-file.ts';
import { findBatchesHolding } from '../../src/ledger/doubt/find-batches-holding.ts';
import { readSentRows } from '../../src/ledger/file/read-file.ts';
import type { BatchRow } from '../../src/ledger/engine/records.ts';
import { judgeResult } from './judge-result.ts';

/** The other batch of the account that a result belongs to, row by row. */
export type Owner = { fileId: string; batchNo: number; name: string };

/**
 * Finds the batch that a result which does not fit belongs to: the service mixed results up, or the batch id is wrong.
 * This saves the operator the search. Only a full match counts.
 */
export async function findOwner(app: App, batch: BatchRow, bytes: Buffer): Promise<Owner | undefined> {
  const [first] = readResultFile(bytes, { maxRows: 1 });
  if (!first) return undefined;
  // The invoice comes first or second in every layout.
  const candidates = await findBatchesHolding(app.ledger, batch, [first.cells[0] ?? '', first.cells[1] ?? '']);
  for (const other of candidates) {
    const sent = await readSentRows(app.ledger, other.file_no, other);
    if (judgeResult(other, other.layout, sent, bytes).kind === 'fits')
      return { fileId: other.file_id, batchNo: other.batch_no, name: other.name };
  }
  return undefined;
}
