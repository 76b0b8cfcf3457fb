import { randomBytes } from 'node:crypto';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { PipelineError } from '../kernel/errors.ts';
import { stemOf } from '../kernel/message-name.ts';
import { displayName } from './display-name.ts';
import { explainSystemError } from './explain-system-error.ts';
import { lstatOrNothing } from './list-folder.ts';
import type { CompleteBy } from './scan-folder.ts';
import { UNFINISHED_ENDING, syncFolder } from './write-durably.ts';

/**
 * A payment file of our own on its way into a drop folder. It lies there under a name that no watcher takes, whole and on
 * the disk; `publish` gives it its name in one step, as a careful sender would.
 */
export type WaitingDrop = { publish(): Promise<void>; discard(): Promise<void> };

/**
 * @param name    must come in masked; a file of that name is never replaced
 * @param content lines as they are made, so that a file of any length costs no memory
 * @throws PipelineError OUTPUT_EXISTS, DISK_FULL, FOLDER_NOT_WRITABLE, FOLDER_MISSING; what `content` throws
 */
export async function writeDrop(
  folder: { path: string; complete: CompleteBy },
  name: string,
  content: AsyncIterable<string>,
): Promise<WaitingDrop> {
  const action = `write "${name}" into the drop folder`;
  const path = join(folder.path, name);
  const temporary = join(folder.path, `.${name}.${randomBytes(8).toString('hex')}${UNFINISHED_ENDING}`);
  const discard = () => rm(temporary, { force: true });
  try {
    await refuseTaken(path, action);
    // Opened before anything can break off, or it might be made after it was removed.
    const file = await open(temporary, 'wx', 0o600);
    await pipeline(content, file.createWriteStream());
    await syncFile(temporary);
  } catch (error) {
    await discard().catch(() => undefined);
    throw explainSystemError(error, action);
  }
  return {
    discard,
    publish: async () => {
      try {
        await refuseTaken(path, action);
        await rename(temporary, path);
        // The marker says that the file is whole, so it comes last.
        if (folder.complete.by === 'marker') await writeFile(path + folder.complete.suffix, '', { mode: 0o600 });
        await syncFolder(folder.path);
      } catch (error) {
        throw explainSystemError(error, action);
      }
    },
  };
}

/** A name for a file made of another: the old name first, then the id of the old file, then which one it is. */
export function followUpName(originalName: string, shortId: string, number: number): string {
  const stem = displayName(stemOf(originalName))
    .replace(/[<>:"|?*]|\p{Cs}/gu, '_')
    .replace(/^[.\-\s~]/, '_');
  return `${stem.slice(0, LONGEST_STEM) || 'file'}__${shortId}-again-${number}.csv`;
}

/** Names end at 255 bytes, and a character may have four. */
const LONGEST_STEM = 40;

async function refuseTaken(path: string, action: string): Promise<void> {
  if (await lstatOrNothing(path)) throw new PipelineError('OUTPUT_EXISTS', action);
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
