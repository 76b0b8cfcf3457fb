import { read, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Enough at a time that asking for it costs little, and still in the cache of a processor core. */
export const PIECE_BYTES = 262_144;

/** To read or write as little as this takes less time than to have another thread do it. */
export const SMALL_BYTES = 65_536;

/**
 * The bytes of an open file, from its first to its last. Each piece is overwritten by the one after the next, so a large file
 * takes no more memory than a small one; the next one is read meanwhile. A stream would take several times as long for a
 * small one.
 * @param size in bytes, as far as it is known; there may be more or fewer
 */
export async function* readPieces(fd: number, size: number): AsyncGenerator<Buffer> {
  // One byte more than there is shows the end, and no memory is taken that a small file does not need.
  const wanted = Math.min(size + 1, PIECE_BYTES);
  const readInto = wanted <= SMALL_BYTES ? readNow : readLater;
  let [piece, other] = [Buffer.allocUnsafe(wanted), NOTHING];
  let reading = readInto(fd, piece, 0);
  try {
    for (let at = 0; ; at += wanted) {
      const count = await reading;
      // Of a plain file less comes than was asked for only at its end.
      const isLast = count < wanted;
      if (!isLast) {
        if (other === NOTHING) other = Buffer.allocUnsafe(wanted);
        reading = readInto(fd, other, at + wanted);
        // Whoever waits for it learns of its failure; until then it is nobody's.
        reading.catch(() => undefined);
      }
      if (count > 0) yield piece.subarray(0, count);
      if (isLast) return;
      [piece, other] = [other, piece];
    }
  } finally {
    // Whoever gives up closes the file, and its number goes to another one.
    await reading.catch(() => undefined);
  }
}

/**
 * The same without another thread, for a process that has nothing else to do: each piece is small, read when it is asked
 * for, and overwritten by the next. Now and then whoever else waits in this process has his turn.
 */
export async function* readPiecesNow(fd: number): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafe(SMALL_BYTES);
  for (let at = 0; ; ) {
    const count = readSync(fd, piece, 0, piece.length, at);
    if (count === 0) return;
    at += count;
    yield piece.subarray(0, count);
    if (at % TURN_BYTES === 0) await setImmediate();
  }
}

const TURN_BYTES = 16 * SMALL_BYTES;

const NOTHING = Buffer.alloc(0);

/** @returns how many bytes came */
type ReadInto = (fd: number, bytes: Buffer, position: number) => Promise<number>;

const readNow: ReadInto = async (fd, bytes, position) => readSync(fd, bytes, 0, bytes.length, position);

const readLater: ReadInto = async (fd, bytes, position) =>
  (await readPromised(fd, bytes, 0, bytes.length, position)).bytesRead;

const readPromised = promisify(read);
