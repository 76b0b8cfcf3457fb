import type { Connection, Submittable } from 'pg';
import { joinTuples } from '../copy/tuple-writer.ts';
import type { Ledger } from './open-ledger.ts';
import type { Queryable } from './transaction.ts';

/**
 * Rows for one table in binary COPY format, in pieces of which each is whole by itself. `into` names the table and its
 * columns, and never comes from outside.
 */
export type CopiedInto = { into: string; tuples: readonly Uint8Array[] };

/**
 * Copies rows into tables, one table after the other. Commands and rows are one message. For a small file, separate
 * replies and writes in pieces would cost more than the rows. When a command fails, the server discards what follows.
 * @throws DatabaseError of the first failure; tables before it may be filled, which the transaction undoes
 */
export function copyIn(client: Queryable, copies: readonly CopiedInto[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const text = copies.map(({ into }) => `COPY ${into} FROM STDIN (FORMAT binary)`).join('; ');
    const frames = copies.flatMap(({ tuples }) => [
      ...joinTuples(tuples).flatMap((one) => [headOf(one), one]),
      COPY_DONE,
    ]);
    client.query(new CopyIn(text, frames, (error) => (error ? reject(error) : resolve())));
  });
}

/** Builds the header of a message: its kind and its length, which counts itself but not the kind. */
function headOf(tuples: Uint8Array): Buffer {
  const head = Buffer.allocUnsafe(5);
  head.write('d', 'latin1');
  head.writeUInt32BE(tuples.length + 4, 1);
  return head;
}

const COPY_DONE = Buffer.from([0x63, 0, 0, 0, 4]);

/** A custom query as node-postgres expects it, see its lib/client.js. */
class CopyIn implements Submittable {
  /** The statement, under the same name as in other queries. */
  readonly text: string;
  readonly #frames: readonly Uint8Array[];
  /** node-postgres replaces this with a callback that knows the time limit. */
  callback: (error: Error | null) => void;

  constructor(text: string, frames: readonly Uint8Array[], callback: (error: Error | null) => void) {
    this.text = text;
    this.#frames = frames;
    this.callback = callback;
  }

  submit(connection: Connection): void {
    connection.stream.cork();
    connection.query(this.text);
    for (const frame of this.#frames) connection.stream.write(frame);
    connection.stream.uncork();
  }

  handleCopyInResponse(): void {}

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}

/**
 * Tells the planner about new rows, which the server itself would do only a minute later. Until then the planner does
 * not know of a million new rows. It may choose plans that read all of them again and again.
 * @param rows number of new rows; for few, sampling the whole table costs too much
 */
export async function refreshStatistics({ pool }: Ledger, rows: number, manyRows = MANY_ROWS): Promise<void> {
  if (rows >= manyRows) await pool.query('ANALYZE payment_row, batch');
}

const MANY_ROWS = 50_000;
