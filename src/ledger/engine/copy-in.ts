import type { Connection, Submittable } from 'pg';
import type { Asked } from './asked.ts';

/** Rows for one table in the form of COPY. `into` names the table with its columns, and never comes from outside. */
export type CopiedInto = { into: string; tuples: Uint8Array };

/**
 * Copies rows into tables, one table after the other. Commands and rows are one message: to have each command answered before
 * its rows go, and to write each of these in pieces, costs a small file more than the rows do. When a command fails, the server
 * reads past what follows.
 * @throws DatabaseError of the first that failed; the others may be there, which is undone with the transaction
 */
export function copyIn(client: Asked, copies: readonly CopiedInto[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const text = copies.map(({ into }) => `COPY ${into} FROM STDIN (FORMAT binary)`).join('; ');
    const frames = copies.flatMap(({ tuples }) => [headOf(tuples), tuples, COPY_DONE]);
    client.query(new CopyIn(text, frames, (error) => (error ? reject(error) : resolve())));
  });
}

/** A message begins with its kind and its length, which counts itself and not the kind. */
function headOf(tuples: Uint8Array): Buffer {
  const head = Buffer.allocUnsafe(5);
  head.write('d', 'latin1');
  head.writeUInt32BE(tuples.length + 4, 1);
  return head;
}

const COPY_DONE = Buffer.from([0x63, 0, 0, 0, 4]);

/** What node-postgres asks of a query of one's own, see its lib/client.js. */
class CopyIn implements Submittable {
  /** Under this name, as others have it too. */
  readonly text: string;
  readonly #frames: readonly Uint8Array[];
  /** Exchanged by node-postgres for one that knows of the time limit. */
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
