import copyStreams, { type CopyToStreamQuery } from 'pg-copy-streams';
import type { PoolClient } from 'pg';

/**
 * Copies the rows of a query out, in binary form.
 * @param query with its values in it, because COPY takes none beside its text
 * @param add takes what comes, piece by piece; rows may be cut anywhere
 * @throws DatabaseError; the connection is of no use any more then
 */
export async function copyOut(client: PoolClient, query: string, add: (piece: Buffer) => void): Promise<void> {
  for await (const piece of copyPieces(client, `COPY (${query}) TO STDOUT (FORMAT binary)`)) add(piece);
}

/**
 * What a COPY … TO STDOUT gives, as it comes.
 * @throws DatabaseError; the connection is of no use any more then
 */
export async function* copyPieces(client: PoolClient, sql: string): AsyncGenerator<Buffer> {
  const copy: CopyOut = copyStreams.to(sql);
  try {
    yield* client.query(copy);
  } finally {
    copy.callback?.();
  }
}

/**
 * By its callback pg learns that an answer has come, and stops its watch over the time that it takes (open-ledger.ts). This
 * stream never calls it, so the watch would end a connection that serves others by then.
 */
type CopyOut = CopyToStreamQuery & { callback?: () => void };
