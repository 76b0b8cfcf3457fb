import { ZERO } from '../../kernel/byte-names.ts';

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
export function putBytes(into: LineBuffer, from: Buffer, start = 0, end = from.length): void {
  const to = makeRoom(into, end - start);
  let { length } = into;
  // Byte by byte: for the few that a cell or a line has, a call costs more.
  for (let at = start; at < end; at += 1, length += 1) to[length] = from[at]!;
  into.length = length;
}

/** A whole number that is not negative, in decimal digits, and a byte behind it. */
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

/** Of the largest number that is counted exactly. */
const MOST_DIGITS = 16;
