import { closeSync, fsync, fsyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * Syncs the names in a folder to disk. Without it, a file that was itself synced may have no name after a power cut.
 */
export async function syncFolder(path: string): Promise<void> {
  const descriptor = openSync(path, 'r');
  try {
    await syncLater(descriptor);
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
  } finally {
    closeSync(descriptor);
  }
}
