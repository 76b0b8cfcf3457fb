import { type BigIntStats, lstatSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { explainPath, PipelineError, systemCode } from '../kernel/errors.ts';
import { displayName } from './file-names.ts';
import type { ErrorCode } from '../../schemas/errors.ts';

/** `key` is the name with one character per byte (latin1), so that two names never collide. */
export type FolderEntry = { key: string; name: string; path: Buffer; stats: BigIntStats };

/**
 * Lists a folder without opening or following anything in it. Names are read as bytes: decoding and encoding a name
 * that is not UTF-8 yields another name, and its file would never be found.
 * @param isWanted tells by its key whether an entry is looked at; the others are left out
 * @throws PipelineError FOLDER_MISSING, or FOLDER_NOT_WRITABLE when the folder may not be read
 */
export async function listFolder(
  folder: string,
  isWanted: (key: string) => boolean = () => true,
): Promise<FolderEntry[]> {
  return explained(`list the folder "${folder}"`, async () => {
    const keys = await readdir(folder, { encoding: 'latin1' });
    const entries: FolderEntry[] = [];
    for await (const slice of inSlices(keys.filter(isWanted))) {
      const found = await Promise.all(slice.map((key) => readEntry(folder, key)));
      for (const entry of found) if (entry) entries.push(entry);
    }
    return entries;
  });
}

/** How many things are worked on before other work gets its turn: a few milliseconds. */
const SLICE = 200;

/** Goes through things that may be many. Other work of the process runs between two slices. */
export async function* inSlices<Thing>(things: readonly Thing[]): AsyncGenerator<readonly Thing[]> {
  for (let from = 0; from < things.length; from += SLICE) {
    if (from > 0) await setImmediate();
    yield things.slice(from, from + SLICE);
  }
}

async function readEntry(folder: string, key: string): Promise<FolderEntry | undefined> {
  const name = Buffer.from(key, 'latin1');
  const path = Buffer.concat([Buffer.from(folder + sep), name]);
  const stats = await lstatOrNothing(path);
  return stats && { key, name: displayName(name), path, stats };
}

/** Returns the status at a path without following links, or undefined when nothing is there (any more). */
export async function lstatOrNothing(path: Buffer | string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch(nothingThere);
}

/** Does the same without another thread, whose call takes longer than one look. */
export function lstatNow(path: Buffer | string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch (error) {
    return nothingThere(error);
  }
}

function nothingThere(error: unknown): undefined {
  if (systemCode(error) !== 'ENOENT') throw error;
}

/** Size and last change of a file. */
export type Shape = { bytes: number; mtimeMs: number };

/** Returns whether a file is as it was seen before. */
export function hasShape(stats: Pick<BigIntStats, 'size' | 'mtimeMs'>, { bytes, mtimeMs }: Shape): boolean {
  return Number(stats.size) === bytes && Number(stats.mtimeMs) === mtimeMs;
}

/**
 * Turns an operating system error into a PipelineError. The original error and its message are dropped on purpose: both
 * hold the path, and the sender's file name may contain a card number. Any other error is returned unchanged.
 *
 * @param action what could not be done, without a sender's file name
 */
export function explainSystemError(error: unknown, action: string): Error {
  const code = systemCode(error);
  if (error instanceof PipelineError || code === undefined || !SYSTEM_CODE.test(code)) {
    return error instanceof Error ? error : new Error(String(error));
  }
  const path = explainPath(code);
  if (path) return new PipelineError('FOLDER_MISSING', action, path.reason, { next: path.next });
  const known = CODES[code];
  return known
    ? new PipelineError(known, action)
    : new PipelineError('INTERNAL', action, `the operating system answered ${code}`);
}

/** Does some work whose system errors are explained by `explainSystemError`. */
export async function explained<Result>(action: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw explainSystemError(error, action);
  }
}

/** System error codes look like EACCES; Node's own codes, such as ERR_INVALID_ARG_TYPE, contain an underscore. */
const SYSTEM_CODE = /^E[A-Z0-9]+$/;

const CODES: Readonly<Record<string, ErrorCode>> = {
  ENOENT: 'FOLDER_MISSING',
  EXDEV: 'FOLDER_OTHER_DISK',
  EACCES: 'FOLDER_NOT_WRITABLE',
  EPERM: 'FOLDER_NOT_WRITABLE',
  EROFS: 'FOLDER_NOT_WRITABLE',
  EBUSY: 'DROP_LOCKED',
  ETXTBSY: 'DROP_LOCKED',
  ENOSPC: 'DISK_FULL',
  EDQUOT: 'DISK_FULL',
};
