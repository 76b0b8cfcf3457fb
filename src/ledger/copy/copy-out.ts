import copyStreams, { type CopyToStreamQuery } from 'pg-copy-streams';
import type { PoolClient } from 'pg';

/**
 * Copies the rows of a query out, in binary format.
 * @param query with its values inlined, because COPY takes no parameters
 * @param add receives each chunk; rows may be split anywhere
 * @throws DatabaseError; the connection is unusable then
 */
export async function copyOut(
  client: Pick<PoolClient, 'query'>,
  query: string,
  add: (piece: Buffer) => void,
): Promise<void> {
  for await (const piece of copyPieces(client, `COPY (${query}) TO STDOUT (FORMAT binary)`)) add(piece);
}

/**
 * Yields the output of COPY … TO STDOUT in chunks.
 * @throws DatabaseError; the connection is unusable then
 */
export async function* copyPieces(client: Pick<PoolClient, 'query'>, sql: string): AsyncGenerator<Buffer> {
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

/** Marks a null cell in place of its end. */
export const NULL_CELL = -1;

/**
 * Reads rows from PostgreSQL's binary COPY, the counterpart of `TupleWriter`, without an object per row.
 * @param take receives each row: cell `n` runs from byte `cells[2 * n]` to before `cells[2 * n + 1]`, which is
 *   NULL_CELL for null. Both arguments are reused for the next row
 * @returns a function that takes the chunks of a COPY; rows may be split anywhere
 */
export function tupleReader(
  columns: number,
  take: (bytes: Buffer, cells: Int32Array) => void,
): (piece: Buffer) => void {
  const cells = new Int32Array(2 * columns);
  let rest: Buffer | undefined;
  let isBegun = false;

  /** @returns the offset after the row that begins here, or undefined when it is incomplete or none follows */
  function cutRow(bytes: Buffer, from: number): number | undefined {
    let at = from + COUNT_BYTES;
    for (let cell = 0; cell < cells.length; cell += 2) {
      if (at + LENGTH_BYTES > bytes.length) return undefined;
      const length = bytes.readInt32BE(at);
      at += LENGTH_BYTES;
      cells[cell] = at;
      cells[cell + 1] = length < 0 ? NULL_CELL : at + length;
      at += Math.max(0, length);
    }
    return at > bytes.length ? undefined : at;
  }

  return (piece) => {
    const bytes = rest ? Buffer.concat([rest, piece]) : piece;
    if (!isBegun && bytes.length < COPY_HEADER_BYTES) {
      rest = bytes;
      return;
    }
    let at = isBegun ? 0 : COPY_HEADER_BYTES;
    isBegun = true;
    while (at + COUNT_BYTES < bytes.length) {
      const next = cutRow(bytes, at);
      if (next === undefined) break;
      take(bytes, cells);
      at = next;
    }
    rest = at < bytes.length ? bytes.subarray(at) : undefined;
  };
}

/** Signature, flags, and the length of an extension that is never used. */
export const COPY_HEADER_BYTES = 19;

/** Each row starts with its column count, each cell with its length. A lone negative count ends the data. */
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;
