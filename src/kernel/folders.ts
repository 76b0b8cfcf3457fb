import { closeSync, fsync, fsyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { systemCode } from './errors.ts';

/**
 * Creates a folder and its missing parents. Node's recursive `mkdir` loops forever where the system keeps no files,
 * such as in /proc, where a link may lead.
 * @throws the system's error, such as EEXIST where a file stands in the place
 */
export async function makeFolders(folder: string, mode?: number): Promise<void> {
  const missing: string[] = [];
  for (let at = resolve(folder); !(await isThere(at)); at = dirname(at)) missing.unshift(at);
  for (const dir of missing) await makeOne(dir, mode);
  if (missing.length === 0) await makeOne(resolve(folder), mode);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' && dirname(path) !== path) return false;
    throw error;
  }
}

/** Creates one folder, which another process may have just created. */
async function makeOne(dir: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(dir, mode);
  } catch (error) {
    // An existing folder is fine, whatever error the attempt returned.
    const there = await stat(dir).catch(() => undefined);
    if (!there?.isDirectory()) throw error;
  }
}

/**
 * Windows has access lists instead of modes, and reports every file as open to all. It cannot sync folders; its file
 * system keeps their changes in order. Known from documents: nothing here was run there.
 */
export function isWindows(): boolean {
  return process.platform === 'win32';
}

/**
 * Makes the names in a folder durable: without it a power cut may undo a completed rename, or leave a synced file without
 * a name. Some network drives cannot sync folders; there the server decides.
 */
export async function syncFolder(path: string | Buffer): Promise<void> {
  if (isWindows()) return;
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
  if (isWindows()) return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const CANNOT_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
