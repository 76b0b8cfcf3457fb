import { createHash } from 'node:crypto';
import { openPlainFile } from './open-plain-file.ts';

/**
 * SHA-256 of a plain file in lower-case hex, read from the disk in pieces.
 * @returns undefined when nothing is there, or something that is not a plain file
 */
export async function hashFile(path: string | Buffer): Promise<string | undefined> {
  const handle = await openPlainFile(path);
  if (handle === undefined) return undefined;
  const hash = createHash('sha256');
  // The stream closes the file, also when reading fails.
  for await (const chunk of handle.createReadStream() as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}
