/** Text that is put together as bytes, in a buffer that grows and is used again. Read `bytes` up to `length`. */
export type LineBuffer = { bytes: Buffer; length: number };

/** Nothing is taken for a buffer that stays empty, and little for a small file. */
const FIRST_BYTES = 8_192;

export function newLineBuffer(): LineBuffer {
  return { bytes: Buffer.alloc(0), length: 0 };
}

/** Sees to it that so many bytes more have room, and gives the bytes to put them in. */
export function makeRoom(into: LineBuffer, more: number): Buffer {
  if (into.length + more > into.bytes.length) {
    const grown = Buffer.allocUnsafe(Math.max(FIRST_BYTES, 2 * into.bytes.length, into.length + more));
    into.bytes.copy(grown, 0, 0, into.length);
    into.bytes = grown;
  }
  return into.bytes;
}

/** Longest UTF-8 of one unit of a text. */
const MOST_BYTES = 3;

/** A text as UTF-8. */
export function putText(into: LineBuffer, text: string): void {
  into.length += makeRoom(into, text.length * MOST_BYTES).write(text, into.length);
}

/** A stretch of bytes as they are. */
export function putBytes(into: LineBuffer, from: Buffer, start: number, end: number): void {
  from.copy(makeRoom(into, end - start), into.length, start, end);
  into.length += end - start;
}
