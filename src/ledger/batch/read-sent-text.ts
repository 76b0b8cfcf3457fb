import { PipelineError } from '../../kernel/errors.ts';
import type { SentText } from '../../rows/sent-text.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow, FileRow } from '../engine/records.ts';

/** What sending or judging a batch needs: its file, and its rows as one text (rows/sent-text.ts). */
export type SentBatch = { file: FileRow; sent: SentText };

/** @throws PipelineError NOT_FOUND */
export async function readSentBatch(ledger: Ledger, batch: BatchRow): Promise<SentBatch> {
  const { rows } = await ledger.pool.query<FileRow & { sent_rows: number; sent_text: string }>(
    `SELECT f.*, s.wrapped_key, s.content_key, s.row_set, r.sent_rows, r.sent_text
     FROM file f LEFT JOIN file_secret s USING (file_id) CROSS JOIN LATERAL sent_text(f.file_no, $2, $3, $4) r WHERE f.file_id = $1`,
    [batch.file_id, batch.batch_no, batch.first_line, batch.last_line],
  );
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find file "${batch.file_id}"`);
  const { sent_rows, sent_text, ...file } = rows[0];
  return { file, sent: { rows: sent_rows, bytes: Buffer.from(sent_text) } };
}
