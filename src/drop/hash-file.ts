import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { openPlainFile } from './open-plain-file.ts';

/**
 * SHA-256 of a plain file in lower-case hex, read from the disk in pieces.
 * @param look takes the same pieces on the way, to the last one, so that the file need not be read twice
 * @returns undefined when nothing is there, or something that is not a plain file
 */
export async function hashFile(
  path: string | Buffer,
  look?: (pieces: AsyncIterable<Buffer>) => Promise<void>,
): Promise<string | undefined> {
  const handle = await openPlainFile(path);
  if (handle === undefined) return undefined;
  try {
    return await hashOpened(handle, look);
  } finally {
    await handle.close();
  }
}

/** The same of an open file, from its first byte; it stays open. */
export async function hashOpened(
  handle: FileHandle,
  look?: (pieces: AsyncIterable<Buffer>) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256');
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const piece of readPieces(handle, { isKept: look !== undefined })) {
      hash.update(piece);
      yield piece;
    }
  }
  await (look ?? takeAll)(counted());
  return hash.digest('hex');
}

const PIECE_BYTES = 65_536;

/**
 * The bytes of an open file. A stream would take several times as long for a small one.
 * @param options.isKept somebody may keep the pieces, so each needs memory of its own
 */
async function* readPieces(handle: FileHandle, { isKept }: { isKept: boolean }): AsyncGenerator<Buffer> {
  const { size } = await handle.stat();
  // One byte more than there is shows the end, and no memory is taken that a small file does not need.
  const wanted = Math.min(size + 1, PIECE_BYTES);
  let piece = Buffer.allocUnsafe(wanted);
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await handle.read(piece, 0, wanted, at);
    if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
    // Of a plain file less comes than was asked for only at its end.
    if (bytesRead < wanted) return;
    at += bytesRead;
    if (isKept) piece = Buffer.allocUnsafe(wanted);
  }
}

async function takeAll(pieces: AsyncIterable<Buffer>): Promise<void> {
  for await (const _piece of pieces);
}
