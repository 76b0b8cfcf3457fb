import { write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { SMALL_BYTES } from './read-pieces.ts';

/** Writes bytes where an open file was written last. A disk may take less than it is given, so it is given the rest again. */
export async function writeWhole(fd: number, bytes: Uint8Array): Promise<void> {
  const isSmall = bytes.length <= SMALL_BYTES;
  for (let done = 0; done < bytes.length; )
    done += isSmall ? writeSync(fd, bytes, done) : (await writeLater(fd, bytes, done)).bytesWritten;
}

const writeLater = promisify(write);
