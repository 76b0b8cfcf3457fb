import pg from 'pg';
import { PipelineError } from '../../kernel/errors.ts';
import { COPY_HEADER_BYTES, copyOut } from '../copy/copy-out.ts';
import type { BatchKey } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { Queryable } from '../engine/transaction.ts';
import type { SentText } from '../../rows/sent-text.ts';
import type { BatchRow, FileRow } from '../engine/records.ts';

/** What is kept sealed of a batch: the bytes sent, the result, and later results that differed. */
export type SealedPart = 'body' | 'result' | `recheck-${number}`;

/**
 * Returns sealed bytes of a batch, read by binary COPY. A query would encode each byte as two digits and take seven
 * times as long for half a megabyte.
 * @throws PipelineError NOT_FOUND
 */
export async function readSealedPart(ledger: Ledger, key: BatchKey, part: SealedPart): Promise<Buffer> {
  const client = await ledger.pool.connect();
  let failure: Error | undefined;
  try {
    return await readSealedPartBy(client, key, part);
  } catch (error) {
    if (!(error instanceof PipelineError)) failure = error as Error;
    throw error;
  } finally {
    client.release(failure);
  }
}

/** Does the same by one connection, which also sees what its own transaction has written. */
export async function readSealedPartBy(
  client: Pick<Queryable, 'query'>,
  key: BatchKey,
  part: SealedPart,
): Promise<Buffer> {
  const query = `SELECT bytes FROM sealed_part WHERE file_id = ${pg.escapeLiteral(key.fileId)}
                 AND batch_no = ${Math.trunc(key.batchNo)} AND part = ${pg.escapeLiteral(part)}`;
  const pieces: Buffer[] = [];
  await copyOut(client, query, (piece) => pieces.push(piece));
  const bytes = readOnlyCell(Buffer.concat(pieces));
  if (bytes) return bytes;
  throw new PipelineError('NOT_FOUND', `find the ${part} of batch ${key.batchNo} of file "${key.fileId}"`);
}

/** Returns the only cell. The number of columns (2 bytes) and its length (4) follow the header. */
function readOnlyCell(copied: Buffer): Buffer | undefined {
  if (copied.readInt16BE(COPY_HEADER_BYTES) !== 1) return undefined;
  const from = COPY_HEADER_BYTES + 6;
  return copied.subarray(from, from + copied.readInt32BE(COPY_HEADER_BYTES + 2));
}

/** What sending or judging a batch needs: its file, and its rows as one text (rows/sent-text.ts). */
export type SentBatch = { file: FileRow; sent: SentText };

/** @throws PipelineError NOT_FOUND */
export async function readSentBatch(ledger: Ledger, batch: BatchRow): Promise<SentBatch> {
  const [found] = await readSentBatches(ledger, [batch]);
  if (!found) throw new PipelineError('NOT_FOUND', `find file "${batch.file_id}"`);
  return found;
}

/** Does the same for several batches, in their order; one whose file is gone is left out. */
export async function readSentBatches(
  ledger: Ledger,
  batches: readonly BatchRow[],
): Promise<(SentBatch & { batchNo: number })[]> {
  const { rows } = await ledger.pool.query<FileRow & { batch_no: number; sent_rows: number; sent_text: string }>(
    `SELECT f.*, s.wrapped_key, s.content_key, s.row_set, b.batch_no, r.sent_rows, r.sent_text
     FROM unnest($1::text[], $2::integer[], $3::integer[], $4::integer[])
            WITH ORDINALITY AS b (file_id, batch_no, first_line, last_line, place)
     JOIN file f USING (file_id) LEFT JOIN file_secret s USING (file_id)
     CROSS JOIN LATERAL sent_text(f.file_no, b.batch_no, b.first_line, b.last_line) r ORDER BY b.place`,
    [
      batches.map((batch) => batch.file_id),
      batches.map((batch) => batch.batch_no),
      batches.map((batch) => batch.first_line),
      batches.map((batch) => batch.last_line),
    ],
  );
  return rows.map(({ batch_no: batchNo, sent_rows, sent_text, ...file }) => ({
    file,
    batchNo,
    sent: { rows: sent_rows, bytes: Buffer.from(sent_text) },
  }));
}
