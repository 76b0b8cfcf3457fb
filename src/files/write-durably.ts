import { closeSync, fsync, openSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { crashPoint } from '../kernel/crash-point.ts';
import { systemCode } from '../kernel/errors.ts';

/** Ending of what a killed `writeDurably` leaves behind. */
export const UNFINISHED_ENDING = '.tmp';

/** Writes a small text file that is absent or whole after a power cut, and readable only by our user. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const temporary = path + UNFINISHED_ENDING;
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  crashPoint('notes.draft-written');
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/**
 * Makes the names in a folder durable: without it a power cut may undo a completed rename. Some network drives cannot
 * sync folders; there the server decides.
 */
export async function syncFolder(path: string | Buffer): Promise<void> {
  const fd = openSync(path, 'r');
  try {
    await syncAll(fd);
  } catch (error) {
    if (!CANNOT_SYNC.has(systemCode(error) ?? '')) throw error;
  } finally {
    closeSync(fd);
  }
}

const syncAll = promisify(fsync);

const CANNOT_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
