import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { readPieces } from './file-bytes.ts';

/** Returns the SHA-256 in lower-case hex. */
export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns the SHA-256 of a whole file, read in small pieces. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  const fd = openSync(path, 'r');
  try {
    for await (const piece of readPieces(fd, fstatSync(fd).size)) hash.update(piece);
  } finally {
    closeSync(fd);
  }
  return hash.digest('hex');
}
