import { write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { SMALL_BYTES } from './read-pieces.ts';

/** Writes bytes at the current position of an open file. A write may be partial, so the rest is written again. */
export async function writeWhole(fd: number, bytes: Uint8Array): Promise<void> {
  const isSmall = bytes.length <= SMALL_BYTES;
  for (let done = 0; done < bytes.length; )
    done += isSmall ? writeSync(fd, bytes, done) : (await writeLater(fd, bytes, done)).bytesWritten;
}

const writeLater = promisify(write);
