import { CR, LF } from '../../kernel/byte-names.ts';
import { LONGEST_LINE } from './split-lines.ts';

/** Whole lines of a file, with their ends; the last block holds what is left, also a line without an end. */
export type Block = {
  readonly bytes: Buffer;
  readonly isLast: boolean;
  /** Which of the buffers it lies in. */
  readonly slot: number;
};

/** Small enough for the cache of a processor core, and for its lines to be checked between two beats of the event loop. */
export const BLOCK_BYTES = 131_072;

/** Of a longer line the rest is dropped; what is left is too long as well, in any character set. */
const MOST_KEPT_BYTES = BLOCK_BYTES / 2;
if (MOST_KEPT_BYTES <= 3 * LONGEST_LINE) throw new Error('a block must be able to hold the longest line');

/**
 * Cuts bytes that come in pieces into blocks of whole lines. Where the cuts are depends on the bytes only, not on their
 * pieces. A CR at the end of what has come is kept back until it is known whether an LF follows.
 *
 * @param buffers of BLOCK_BYTES each, which are used in turn; a block is overwritten by the one that comes so many later
 */
export async function* readBlocks(
  source: AsyncIterable<Uint8Array>,
  buffers: readonly Buffer[] = [Buffer.alloc(BLOCK_BYTES)],
): AsyncGenerator<Block> {
  let slot = 0;
  let buffer = buffers[slot]!;
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
      buffer.set(part, used);
      used += part.length;
      from += part.length;
      if (used < BLOCK_BYTES) continue;
      const end = endOfLines(buffer);
      if (end > 0) {
        yield { bytes: buffer.subarray(0, end), isLast: false, slot };
        slot = (slot + 1) % buffers.length;
        buffer.copy(buffers[slot]!, 0, end);
        buffer = buffers[slot]!;
        used -= end;
      } else {
        used = MOST_KEPT_BYTES;
        isSkipping = buffer[BLOCK_BYTES - 1] !== CR;
        if (!isSkipping) used += buffer.write('\r', used);
      }
    }
  }
  yield { bytes: buffer.subarray(0, used), isLast: true, slot };
}

/** Where the last line ends of which the end is certain; 0 when there is none. */
function endOfLines(buffer: Buffer): number {
  const afterLf = buffer.lastIndexOf(LF) + 1;
  return afterLf > 0 ? afterLf : buffer.lastIndexOf(CR, buffer.length - 2) + 1;
}

/** The place of the next CR or LF, or the end of the bytes. */
export function findLineEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at += 1;
  return at;
}

/** The place behind the line end that stands here. */
export function behindLineEnd(bytes: Uint8Array, at: number): number {
  return bytes[at] === CR && bytes[at + 1] === LF ? at + 2 : at + 1;
}
