import { createHash } from 'node:crypto';
import { readPieces } from '../kernel/read-pieces.ts';
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

async function takeAll(pieces: AsyncIterable<Buffer>): Promise<void> {
  for await (const _piece of pieces);
}
