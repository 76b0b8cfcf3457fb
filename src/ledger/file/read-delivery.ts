import type { OutputKind } from '../../../schemas/lifecycle.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow } from '../engine/records.ts';
import { UNWRITTEN_CORRECTIONS } from '../row/read-changes.ts';

/** A file, and what decides which of its outputs are due. */
export type Delivery = {
  file: FileRow;
  /** Kinds of the outputs that are in the ledger. */
  written: ReadonlySet<OutputKind>;
  batches: number;
  /** Batches that still wait for something. */
  openBatches: number;
  /** Numbers of the corrections that are due, lowest first. */
  corrections: readonly number[];
};

/**
 * Uses a single query, because it runs several times for each file, however small.
 * @throws PipelineError NOT_FOUND
 */
export async function readDelivery(ledger: Ledger, fileId: string): Promise<Delivery> {
  const { rows } = await ledger.pool.query<
    FileRow & { written: OutputKind[]; batches: number; open_batches: number; corrections: number[] }
  >(
    `SELECT file.*, s.wrapped_key, s.content_key, s.row_set,
            ARRAY(SELECT kind FROM output WHERE output.file_id = file.file_id) AS written,
            ARRAY(SELECT correction_no FROM (${UNWRITTEN_CORRECTIONS}) due
                  WHERE due.file_no = file.file_no ORDER BY correction_no) AS corrections,
            b.batches, b.open_batches
     FROM file LEFT JOIN file_secret s USING (file_id) CROSS JOIN LATERAL (
       SELECT count(*) AS batches, count(*) FILTER (WHERE state NOT IN ('reconciled', 'cancelled')) AS open_batches
       FROM batch WHERE batch.file_id = file.file_id
     ) b
     WHERE file.file_id = $1`,
    [fileId],
  );
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find file "${fileId}"`);
  const { written, corrections, batches, open_batches: openBatches, ...file } = rows[0];
  return { file, written: new Set(written), corrections, batches, openBatches };
}
