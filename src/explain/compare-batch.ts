import { readResult } from '../../workers/poll/judge-result.ts';
import { openResult } from '../../workers/open-original.ts';
import type { App } from '../app.ts';
import { PipelineError } from '../kernel/errors.ts';
import { readSentRows } from '../ledger/file/read-file.ts';
import type { BatchRow, FileRow } from '../ledger/engine/records.ts';
import { type ComparedRow, compareRows } from '../reconcile/compare-rows.ts';
import { batchReference } from './batch-reference.ts';

/** Both sides of a batch: the rows sent and the service's result. */
export type Comparison = {
  batch: string;
  name: string;
  state: string;
  batchId: string | null;
  reason: string | null;
  /** Why the result cannot be read at all. */
  unreadable?: string;
  sentRows: number;
  resultRows: number;
  differing: number;
  rows: readonly ComparedRow[];
};

/**
 * Compares the result of a batch with the rows that were sent. Shows at most the last four digits of numbers.
 * @param options.all includes the rows that match
 * @throws PipelineError NOT_FOUND when there is no result yet, ORIGINAL_GONE or SEAL_BROKEN when it cannot be opened
 */
export async function compareBatch(
  app: Pick<App, 'ledger' | 'keys'>,
  file: FileRow,
  batch: BatchRow,
  { all = false }: { all?: boolean } = {},
): Promise<Comparison> {
  const reference = batchReference({ fileId: file.file_id, batchNo: batch.batch_no });
  if (batch.result_sha256 === null && batch.state !== 'exception')
    throw new PipelineError('NOT_FOUND', `compare batch ${reference}`, 'there is no result of it yet');
  const bytes = batch.result_sha256 === null ? undefined : await openResult(app, file, batch.batch_no);
  const sent = await readSentRows(app.ledger, file.file_no, batch);
  const results = bytes ? readResult(bytes, file.layout!, sent.length) : (batch.reason ?? 'there is no result of it');
  const unreadable = typeof results === 'string' ? results : undefined;
  const rows = compareRows(file.layout!, sent, typeof results === 'string' ? [] : results);
  return {
    batch: reference,
    name: file.name,
    state: batch.state,
    batchId: batch.batch_id,
    reason: batch.reason,
    ...(unreadable !== undefined && { unreadable }),
    sentRows: sent.length,
    resultRows: typeof results === 'string' ? 0 : results.length,
    differing: rows.filter((row) => !row.isSame).length,
    rows: all ? rows : rows.filter((row) => !row.isSame),
  };
}
