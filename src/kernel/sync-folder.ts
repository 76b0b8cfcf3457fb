import { closeSync, fsync, fsyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { systemCode } from './errors.ts';

/**
 * Makes the names in a folder durable: without it a power cut may undo a completed rename, or leave a synced file without
 * a name. Some network drives cannot sync folders; there the server decides.
 */
export async function syncFolder(path: string | Buffer): Promise<void> {
  const descriptor = openSync(path, 'r');
  try {
    await syncLater(descriptor);
  } catch (error) {
    if (!CANNOT_SYNC.has(systemCode(error) ?? '')) throw error;
  } finally {
    closeSync(descriptor);
  }
}

const syncLater = promisify(fsync);

/**
 * Does the same synchronously, for the writer of the master key. It accepts no file system that cannot sync folders: with
 * the key every sealed file would be lost.
 */
export function syncFolderNow(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const CANNOT_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
