import copyStreams, { type CopyToStreamQuery } from 'pg-copy-streams';
import type { PoolClient } from 'pg';

/**
 * Copies the rows of a query out, in binary format.
 * @param query with its values inlined, because COPY takes no parameters
 * @param add receives each chunk; rows may be split anywhere
 * @throws DatabaseError; the connection is unusable then
 */
export async function copyOut(client: PoolClient, query: string, add: (piece: Buffer) => void): Promise<void> {
  for await (const piece of copyPieces(client, `COPY (${query}) TO STDOUT (FORMAT binary)`)) add(piece);
}

/**
 * Yields the output of COPY … TO STDOUT in chunks.
 * @throws DatabaseError; the connection is unusable then
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
 * A COPY stream with pg's callback, which ends pg's query timeout (open-ledger.ts). The stream never calls it itself,
 * so the timeout would end a connection that already serves another caller.
 */
type CopyOut = CopyToStreamQuery & { callback?: () => void };
