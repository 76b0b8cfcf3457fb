import { closeSync, constants, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { mkdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../../kernel/errors.ts';
import { FILE_ID } from '../../kernel/ids.ts';
import { type FolderEntry, hasShape, listFolder, type Shape } from '../list-folder.ts';

/**
 * Folder in a work folder where claimed files lie after they were sealed and decided, each as `<fileId>` and empty. A
 * program that still has one open writes into it, not into a deleted file, so its bytes are noticed.
 */
export const RETIRED = '.retired';

/** How long a retired file is watched, in ms. It is empty, so nothing of its content lies there. */
export const WATCHED_MS = 3_600_000;

/**
 * How long one that cannot be emptied is watched, in ms. It belongs to its sender, who lets nobody else write, and it
 * still holds its rows in plain text.
 */
export const WATCHED_PLAIN_MS = 60_000;

/** Returns the path of a claimed file after `retire`. */
export function retiredPath(workDir: string): string {
  return join(dirname(workDir), RETIRED, basename(workDir));
}

/** Moves a claimed file to the retired ones. It keeps its inode, into which its sender may still be writing. */
export async function retire(path: string, workDir: string): Promise<void> {
  const to = retiredPath(workDir);
  try {
    await rename(path, to);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await rename(path, to).catch((again: unknown) => {
      // Another process has retired it.
      if (systemCode(again) !== 'ENOENT') throw again;
    });
  }
}

/** `plain`: it holds what it should, but may not be emptied. `changed`: it has another shape; nothing was done. */
export type Emptied = 'empty' | 'plain' | 'changed' | 'gone';

/**
 * Empties a retired file if it still has the shape that was sealed. Look and cut follow each other without a pause, and
 * the file stays, so that a later write is seen.
 */
export function emptyRetired(path: string, sealed: Shape): Emptied {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
    const stats = fstatSync(fd, { bigint: true });
    if (!hasShape(stats, sealed)) return 'changed';
    ftruncateSync(fd, 0);
    return 'empty';
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'ENOENT') return 'gone';
    if (['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'ETXTBSY'].includes(code)) return 'plain';
    throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** A retired file as a sweep sees it. */
export type RetiredFile = { fileId: string; path: string; stats: FolderEntry['stats'] };

/** Lists the retired files of a work folder. */
export async function listRetired(workRoot: string): Promise<RetiredFile[]> {
  const folder = join(workRoot, RETIRED);
  const entries = await listFolder(folder, (key) => FILE_ID.test(key)).catch((error: unknown) => {
    if ((error as { code?: unknown }).code === 'FOLDER_MISSING') return [];
    throw error;
  });
  return entries
    .filter(({ stats }) => stats.isFile())
    .map(({ name, path, stats }) => ({ fileId: name, path: path.toString(), stats }));
}

/** Removes a retired file whose time is over. */
export async function removeRetired(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error;
  });
}
