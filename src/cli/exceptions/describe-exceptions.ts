import { formatCents } from '../../kernel/money.ts';
import type { ExceptionBatch } from '../../ledger/doubt/find-batches-holding.ts';
import { batchReference } from '../../explain/batch-reference.ts';
import { textTable } from '../print/table.ts';

/** Lists the batches that wait because their result does not fit, and what to type next. */
export function describeExceptions(batches: readonly ExceptionBatch[]): string {
  if (batches.length === 0) return 'No result waits for a person: each one fits what was sent.';
  const rows = batches.map((batch) => [
    batchReference({ fileId: batch.fileId, batchNo: batch.batchNo }),
    batch.name,
    batch.account,
    batch.batchId ?? '',
    String(batch.rows),
    formatCents(batch.cents),
    batch.since.toISOString(),
    batch.reason ?? '',
  ]);
  const titles = ['Batch', 'File', 'Account', 'Batch Id', 'Rows', 'Total', 'Since', 'Why'];
  return `${textTable(titles, rows, [4, 5])}\n\n${HOW_TO_GO_ON}`;
}

const HOW_TO_GO_ON = `"paydrop exceptions BATCH" shows both sides of one, "paydrop repoll BATCH" asks for its result again.
Its money may have moved, so never drop the file again. When the service says that the result is another batch's:
"paydrop resolve BATCH --disown --reason …"; the batch is in doubt then.`;
