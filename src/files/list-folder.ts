import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { sep } from 'node:path';
import { systemCode } from '../kernel/errors.ts';
import { displayName } from './display-name.ts';
import { explainSystemError } from './explain-system-error.ts';

/** `key` is the name with one character per byte (latin1), so that two names never collide. */
export type FolderEntry = { key: string; name: string; path: Buffer; stats: BigIntStats };

/**
 * Lists a folder without opening or following anything in it. Names are read as bytes: decoding and encoding a name
 * that is not UTF-8 yields another name, and its file would never be found.
 * @throws PipelineError FOLDER_MISSING, or FOLDER_NOT_WRITABLE when the folder may not be read
 */
export async function listFolder(folder: string): Promise<FolderEntry[]> {
  try {
    const names = await readdir(folder, { encoding: 'buffer' });
    const entries = await Promise.all(names.map((name) => readEntry(folder, name)));
    return entries.filter((entry) => entry !== undefined);
  } catch (error) {
    throw explainSystemError(error, `list the folder "${folder}"`);
  }
}

async function readEntry(folder: string, name: Buffer): Promise<FolderEntry | undefined> {
  const path = Buffer.concat([Buffer.from(folder + sep), name]);
  const stats = await lstatOrNothing(path);
  return stats && { key: name.toString('latin1'), name: displayName(name), path, stats };
}

/** Returns the status at a path without following links, or undefined when nothing is there (any more). */
export async function lstatOrNothing(path: Buffer | string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
