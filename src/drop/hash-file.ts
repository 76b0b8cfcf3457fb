import { createHash } from 'node:crypto';
import { read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { openPlainFile } from './open-plain-file.ts';

/**
 * SHA-256 of a plain file in lower-case hex, read from the disk in pieces.
 * @returns undefined when nothing is there, or something that is not a plain file
 */
export async function hashFile(path: string | Buffer): Promise<string | undefined> {
  const handle = await openPlainFile(path);
  if (handle === undefined) return undefined;
  try {
    return await hashOpened(handle.fd, (await handle.stat()).size);
  } finally {
    await handle.close();
  }
}

/** Takes the pieces of a file to the last one. Each is overwritten by the next. */
export type LookAtPieces = (pieces: AsyncIterable<Buffer>) => Promise<void>;

/**
 * The same of an open file, from its first byte to its last; it stays open.
 * @param size in bytes, as far as it is known; there may be more
 * @param look takes the same pieces on the way, so that the file need not be read twice
 */
export async function hashOpened(fd: number, size: number, look: LookAtPieces = takeAll): Promise<string> {
  const hash = createHash('sha256');
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const piece of readPieces(fd, size)) {
      hash.update(piece);
      yield piece;
    }
  }
  await look(counted());
  return hash.digest('hex');
}

const PIECE_BYTES = 262_144;

/** To read as little as this takes less time than to have another thread do it. */
const SMALL_BYTES = 65_536;

const readLater = promisify(read);

/** The bytes of an open file. A stream would take several times as long for a small one. */
async function* readPieces(fd: number, size: number): AsyncGenerator<Buffer> {
  // One byte more than there is shows the end, and no memory is taken that a small file does not need.
  const wanted = Math.min(size + 1, PIECE_BYTES);
  const piece = Buffer.allocUnsafe(wanted);
  for (let at = 0; ; ) {
    const bytesRead =
      wanted <= SMALL_BYTES
        ? readSync(fd, piece, 0, wanted, at)
        : (await readLater(fd, piece, 0, wanted, at)).bytesRead;
    if (bytesRead > 0) yield piece.subarray(0, bytesRead);
    // Of a plain file less comes than was asked for only at its end.
    if (bytesRead < wanted) return;
    at += bytesRead;
  }
}

async function takeAll(pieces: AsyncIterable<Buffer>): Promise<void> {
  for await (const _piece of pieces);
}
