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
    await syncLater(descriptor).catch(allowUnsupported);
  } finally {
    closeSync(descriptor);
  }
}

const syncLater = promisify(fsync);

/** Does the same synchronously, for callers that may not wait, such as the writer of the master key. */
export function syncFolderNow(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } catch (error) {
    allowUnsupported(error);
  } finally {
    closeSync(descriptor);
  }
}

function allowUnsupported(error: unknown): void {
  if (!CANNOT_SYNC.has(systemCode(error) ?? '')) throw error;
}

const CANNOT_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
