import { ZERO } from '../../kernel/byte-names.ts';

/** A growing, reusable buffer of bytes. Read `bytes` up to `length`. */
export type LineBuffer = { bytes: Buffer; length: number };

/** Size of the first allocation: small enough for a small file. An unused buffer allocates nothing. */
const FIRST_BYTES = 8_192;

export function newLineBuffer(): LineBuffer {
  return { bytes: Buffer.alloc(0), length: 0 };
}

/** Makes room for `more` bytes and returns the buffer to write to. */
export function makeRoom(into: LineBuffer, more: number): Buffer {
  if (into.length + more > into.bytes.length) {
    const grown = Buffer.allocUnsafe(Math.max(FIRST_BYTES, 2 * into.bytes.length, into.length + more));
    into.bytes.copy(grown, 0, 0, into.length);
    into.bytes = grown;
  }
  return into.bytes;
}

const MOST_BYTES = 3;

/** Appends a text as UTF-8. */
export function putText(into: LineBuffer, text: string): void {
  into.length += makeRoom(into, text.length * MOST_BYTES).write(text, into.length);
}

/** Appends a range of bytes unchanged. */
export function putBytes(into: LineBuffer, from: Buffer, start = 0, end = from.length): void {
  const to = makeRoom(into, end - start);
  let { length } = into;
  // A cell or line has few bytes, so this loop is faster than a call to `copy`.
  for (let at = start; at < end; at += 1, length += 1) to[length] = from[at]!;
  into.length = length;
}

/** Appends a non-negative integer in decimal digits, then the byte `behind`. */
export function putNumber(into: LineBuffer, value: number, behind: number): void {
  const to = makeRoom(into, MOST_DIGITS + 1);
  let digits = 1;
  for (let power = 10; power <= value; power *= 10) digits += 1;
  let rest = value;
  for (let at = into.length + digits - 1; at >= into.length; at -= 1) {
    to[at] = ZERO + (rest % 10);
    rest = Math.trunc(rest / 10);
  }
  to[into.length + digits] = behind;
  into.length += digits + 1;
}

const MOST_DIGITS = 16;
