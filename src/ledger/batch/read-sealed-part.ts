import pg from 'pg';
import { PipelineError } from '../../kernel/errors.ts';
import { copyOut, NULL_CELL, tupleReader } from '../copy/copy-out.ts';
import type { BatchKey } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { Queryable } from '../engine/transaction.ts';
import type { SentText } from '../../rows/sent-text.ts';
import type { BatchRow, FileRow } from '../engine/records.ts';

/** What is kept sealed of a batch: the bytes sent, the result, and later results that differed. */
export type SealedPart = 'body' | 'result' | `recheck-${number}`;

/**
 * Returns sealed bytes of a batch.
 * @param client a connection, which also sees what its own transaction has written; by default any
 * @throws PipelineError NOT_FOUND
 */
export async function readSealedPart(
  ledger: Ledger,
  key: BatchKey,
  part: SealedPart,
  client?: Pick<Queryable, 'query'>,
): Promise<Buffer> {
  const [bytes] = await (client ? readSealedPartsBy(client, [key], part) : readSealedParts(ledger, [key], part));
  if (bytes) return bytes;
  throw noPart(key, part);
}

export function noPart({ fileId, batchNo }: BatchKey, part: SealedPart): PipelineError {
  return new PipelineError('NOT_FOUND', `find the ${part} of batch ${batchNo} of file "${fileId}"`);
}

/**
 * Returns sealed bytes of batches, in their order; undefined where there are none. They are read by binary COPY: a query
 * would encode each byte as two digits and take seven times as long for half a megabyte.
 */
export async function readSealedParts(
  ledger: Ledger,
  keys: readonly BatchKey[],
  part: SealedPart,
): Promise<(Buffer | undefined)[]> {
  const client = await ledger.pool.connect();
  let failure: Error | undefined;
  try {
    return await readSealedPartsBy(client, keys, part);
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    client.release(failure);
  }
}

async function readSealedPartsBy(
  client: Pick<Queryable, 'query'>,
  keys: readonly BatchKey[],
  part: SealedPart,
): Promise<(Buffer | undefined)[]> {
  const fileIds = keys.map(({ fileId }) => pg.escapeLiteral(fileId)).join(', ');
  const batchNos = keys.map(({ batchNo }) => Math.trunc(batchNo)).join(', ');
  const query = `SELECT p.bytes
    FROM unnest(ARRAY[${fileIds}]::text[], ARRAY[${batchNos}]::integer[]) WITH ORDINALITY AS k (file_id, batch_no, place)
    LEFT JOIN sealed_part p ON p.file_id = k.file_id AND p.batch_no = k.batch_no AND p.part = ${pg.escapeLiteral(part)}
    ORDER BY k.place`;
  const found: (Buffer | undefined)[] = [];
  const add = tupleReader(1, (bytes, cells) => {
    found.push(cells[1] === NULL_CELL ? undefined : Buffer.from(bytes.subarray(cells[0], cells[1])));
  });
  await copyOut(client, query, add);
  return found;
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
