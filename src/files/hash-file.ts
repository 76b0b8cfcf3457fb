import { createHash } from 'node:crypto';
import { readPieces } from '../kernel/read-pieces.ts';
import { openPlainFile } from './open-plain-file.ts';

/**
 * Returns the SHA-256 of a plain file in lower-case hex, read in pieces.
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

/** Consumes the pieces of a file to the end. Each piece is overwritten by the next. */
export type LookAtPieces = (pieces: AsyncIterable<Buffer>) => Promise<void>;

/**
 * Hashes an open file from its first byte to its last and leaves it open.
 * @param size expected size in bytes; the file may hold more
 * @param look receives the same pieces, so that the file need not be read twice
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
