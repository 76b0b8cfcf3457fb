import { CR, LF } from '../../kernel/byte-names.ts';
import { LONGEST_LINE } from './split-lines.ts';

/** Whole lines of a file with their ends. The last block holds the rest, including a line without an end. */
export type Block = { readonly bytes: Buffer; readonly isLast: boolean };

/** Small enough for a processor cache, and for its lines to be checked between two event-loop ticks. */
export const BLOCK_BYTES = 131_072;

/** Most files are smaller than this, and a block would be much memory for each of them. */
const FIRST_BYTES = 32_768;

/** Longer lines are cut to this. What is left is still too long in any character set. */
const MOST_KEPT_BYTES = BLOCK_BYTES / 2;
if (MOST_KEPT_BYTES <= 3 * LONGEST_LINE) throw new Error('a block must be able to hold the longest line');

/**
 * Cuts a stream of bytes into blocks of whole lines. The cuts depend only on the bytes, not on how they arrive in
 * pieces. A trailing CR is held back until the next byte shows whether an LF follows.
 * Each block is overwritten by the next.
 */
export async function* readBlocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  let buffer = Buffer.allocUnsafe(FIRST_BYTES);
  let used = 0;
  let isSkipping = false;
  for await (const piece of source) {
    let from = 0;
    while (from < piece.length) {
      if (isSkipping) {
        from = findLineEnd(piece, from);
        isSkipping = from === piece.length;
        continue;
      }
      const part = piece.subarray(from, from + BLOCK_BYTES - used);
      if (used + part.length > buffer.length) {
        buffer = Buffer.concat([buffer.subarray(0, used)], BLOCK_BYTES);
      }
      buffer.set(part, used);
      used += part.length;
      from += part.length;
      if (used < BLOCK_BYTES) continue;
      const end = endOfLines(buffer);
      if (end > 0) {
        yield { bytes: buffer.subarray(0, end), isLast: false };
        buffer.copyWithin(0, end);
        used -= end;
      } else {
        used = MOST_KEPT_BYTES;
        isSkipping = buffer[BLOCK_BYTES - 1] !== CR;
        if (!isSkipping) used += buffer.write('\r', used);
      }
    }
  }
  yield { bytes: buffer.subarray(0, used), isLast: true };
}

function endOfLines(buffer: Buffer): number {
  const afterLf = buffer.lastIndexOf(LF) + 1;
  return afterLf > 0 ? afterLf : buffer.lastIndexOf(CR, buffer.length - 2) + 1;
}

/** Returns the position of the next CR or LF, or the end of the bytes. */
export function findLineEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at += 1;
  return at;
}

/** Returns the position after the line end at `at`. */
export function behindLineEnd(bytes: Uint8Array, at: number): number {
  return bytes[at] === CR && bytes[at + 1] === LF ? at + 2 : at + 1;
}
