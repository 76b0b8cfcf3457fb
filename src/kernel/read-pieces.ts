import { read, readSync } from 'node:fs';
import { promisify } from 'node:util';

/** Enough at a time that asking for it costs little, and still in the cache of a processor core. */
export const PIECE_BYTES = 262_144;

/** To read or write as little as this takes less time than to have another thread do it. */
export const SMALL_BYTES = 65_536;

const readLater = promisify(read);

/**
 * The bytes of an open file, from its first to its last. Each piece is overwritten by the next, so a large file takes no more
 * memory than a small one. A stream would take several times as long for a small one.
 * @param size in bytes, as far as it is known; there may be more or fewer
 */
export async function* readPieces(fd: number, size: number): AsyncGenerator<Buffer> {
  // One byte more than there is shows the end, and no memory is taken that a small file does not need.
  const wanted = Math.min(size + 1, PIECE_BYTES);
  const piece = Buffer.allocUnsafe(wanted);
  for (let at = 0; ; ) {
    const isSmall = wanted <= SMALL_BYTES;
    const count = isSmall ? readSync(fd, piece, 0, wanted, at) : (await readLater(fd, piece, 0, wanted, at)).bytesRead;
    if (count > 0) yield piece.subarray(0, count);
    // Of a plain file less comes than was asked for only at its end.
    if (count < wanted) return;
    at += count;
  }
}
