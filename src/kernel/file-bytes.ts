import { read, readSync, write, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Large enough that a read call costs little, small enough for a processor cache. */
export const PIECE_BYTES = 262_144;

/** Up to this size, reading or writing takes less time than handing it to another thread. */
export const SMALL_BYTES = 65_536;

/**
 * Reads an open file from beginning to end. Each piece is overwritten by the one after the next, so memory does not
 * grow with the file; the next one is read meanwhile. A stream takes several times as long for a small file.
 * @param size in bytes, as far as known; there may be more or fewer
 */
export async function* readPieces(fd: number, size: number): AsyncGenerator<Buffer> {
  // One byte more than the size reveals the end, and a small file allocates no more than it needs.
  const wanted = Math.min(size + 1, PIECE_BYTES);
  const readInto = wanted <= SMALL_BYTES ? readNow : readLater;
  let [piece, other] = [Buffer.allocUnsafe(wanted), NOTHING];
  let reading = readInto(fd, piece, 0);
  try {
    for (let at = 0; ; at += wanted) {
      const count = await reading;
      // A regular file returns fewer bytes than requested only at its end.
      const isLast = count < wanted;
      if (!isLast) {
        if (other === NOTHING) other = Buffer.allocUnsafe(wanted);
        reading = readInto(fd, other, at + wanted);
        // The `await` above reports a failure; until then it must not count as unhandled.
        reading.catch(() => undefined);
      }
      if (count > 0) yield piece.subarray(0, count);
      if (isLast) return;
      [piece, other] = [other, piece];
    }
  } finally {
    // A caller that stops early closes the file, and its descriptor may be reused for another one.
    await reading.catch(() => undefined);
  }
}

/**
 * Does the same without another thread, for a process with nothing else to do. Each piece is small, read on demand and
 * overwritten by the next. Now and then it yields to other work in the process.
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

/** @returns how many bytes were read */
type ReadInto = (fd: number, bytes: Buffer, position: number) => Promise<number>;

const readNow: ReadInto = async (fd, bytes, position) => readSync(fd, bytes, 0, bytes.length, position);

const readLater: ReadInto = async (fd, bytes, position) =>
  (await readPromised(fd, bytes, 0, bytes.length, position)).bytesRead;

const readPromised = promisify(read);

/** Writes bytes at the current position of an open file. A write may be partial, so the rest is written again. */
export async function writeWhole(fd: number, bytes: Uint8Array): Promise<void> {
  const isSmall = bytes.length <= SMALL_BYTES;
  for (let done = 0; done < bytes.length; )
    done += isSmall ? writeSync(fd, bytes, done) : (await writeLater(fd, bytes, done)).bytesWritten;
}

const writeLater = promisify(write);
