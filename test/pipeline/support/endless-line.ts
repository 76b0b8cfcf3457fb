import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

export const MEBIBYTE = 1_048_576;

/** Writes the line in pieces, so that the test itself takes no memory. Returns the SHA-256 of what it wrote. */
export async function writeEndlessLine(path: string, mebibytes: number): Promise<string> {
  const piece = Buffer.from('K-1,A10000001,25.00,June dues,'.repeat(40_000)).subarray(0, MEBIBYTE);
  const hash = createHash('sha256');
  const handle = await open(path, 'wx');
  for (let written = 0; written < mebibytes; written += 1) {
    hash.update(piece);
    await handle.writeFile(piece);
  }
  await handle.close();
  return hash.digest('hex');
}
