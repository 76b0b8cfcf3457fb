import pg from 'pg';
import copyStreams, { type CopyToStreamQuery } from 'pg-copy-streams';
import { PipelineError } from '../../kernel/errors.ts';
import type { BatchKey } from '../moves/move.ts';
import type { Ledger } from '../open-ledger.ts';

/** What is kept sealed of a batch: the bytes sent, the result, and later results that were otherwise. */
export type SealedPart = 'body' | 'result' | `recheck-${number}`;

/**
 * Sealed bytes of a batch. They come by binary COPY: a query would write each byte as two digits, and take seven times as
 * long for a body of half a megabyte.
 * @throws PipelineError NOT_FOUND
 */
export async function readSealedPart(ledger: Ledger, key: BatchKey, part: SealedPart): Promise<Buffer> {
  const client = await ledger.pool.connect();
  // COPY takes no values beside its text.
  const copy: CopyOut = copyStreams.to(
    `COPY (SELECT bytes FROM sealed_part WHERE file_id = ${pg.escapeLiteral(key.fileId)}
       AND batch_no = ${Math.trunc(key.batchNo)} AND part = ${pg.escapeLiteral(part)}) TO STDOUT (FORMAT binary)`,
  );
  const pieces: Buffer[] = [];
  let failure: Error | undefined;
  try {
    for await (const piece of client.query(copy)) pieces.push(piece as Buffer);
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    copy.callback?.();
    client.release(failure);
  }
  const bytes = readOnlyCell(Buffer.concat(pieces));
  if (bytes) return bytes;
  throw new PipelineError('NOT_FOUND', `find the ${part} of batch ${key.batchNo} of file "${key.fileId}"`);
}

/**
 * By its callback pg learns that an answer has come, and stops its watch over the time that it takes (open-ledger.ts). This
 * stream never calls it, so the watch would end a connection that serves others by then.
 */
type CopyOut = CopyToStreamQuery & { callback?: () => void };

/** Signature, flags and the length of an extension that does not come. */
const HEADER_BYTES = 19;

/** The cell of the only row: behind the header the number of its columns (2 bytes) and its length (4). */
function readOnlyCell(copied: Buffer): Buffer | undefined {
  if (copied.readInt16BE(HEADER_BYTES) !== 1) return undefined;
  const from = HEADER_BYTES + 6;
  return copied.subarray(from, from + copied.readInt32BE(HEADER_BYTES + 2));
}
