import { createHash, randomBytes } from 'node:crypto';
import { open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { PipelineError } from '../kernel/errors.ts';
import { maskName } from '../kernel/mask.ts';
import { displayName, stemOf } from './file-names.ts';
import { explained, explainSystemError, lstatOrNothing } from './list-folder.ts';
import { hashFile } from './open-plain-file.ts';
import { publishFile } from './outputs/publish-drafts.ts';
import { type CompleteBy, markerEndingOf, SIDECAR } from './completeness.ts';
import { syncFolder } from '../kernel/folders.ts';
import { UNFINISHED_ENDING } from './write-durably.ts';

/**
 * A payment file of our own, about to enter a drop folder. It lies there complete and synced under a name that no
 * watcher takes. `publish` gives it its name atomically, as a careful sender would.
 */
export type WaitingDrop = {
  /** SHA-256 of the content, in lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
  publish(): Promise<void>;
  discard(): Promise<void>;
};

/**
 * Writes a payment file into a drop folder under a temporary name.
 * @param name an existing file of that name is never replaced; long numbers in it are masked in errors
 * @param content lines or pieces as they are made, so that a long file takes no memory
 * @throws PipelineError OUTPUT_EXISTS, DISK_FULL, FOLDER_NOT_WRITABLE, FOLDER_MISSING; what `content` throws
 */
export async function writeDrop(
  folder: { path: string; complete: CompleteBy },
  name: string,
  content: AsyncIterable<string | Uint8Array>,
): Promise<WaitingDrop> {
  const action = `write "${maskName(name)}" into the drop folder`;
  const path = join(folder.path, name);
  const temporary = join(folder.path, `.${name}.${randomBytes(8).toString('hex')}${UNFINISHED_ENDING}`);
  const discard = () => rm(temporary, { force: true });
  const hash = createHash('sha256');
  let bytes = 0;
  async function* measured(): AsyncGenerator<Buffer> {
    for await (const piece of content) {
      const chunk = Buffer.from(piece as Uint8Array);
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  try {
    await refuseTaken(path, folder.complete, action);
    // Open it before anything can fail, or the stream could create it after `discard`.
    const file = await open(temporary, 'wx', 0o600);
    await pipeline(measured(), file.createWriteStream());
    await syncFile(temporary);
  } catch (error) {
    await discard().catch(() => undefined);
    throw explainSystemError(error, action);
  }
  const sha256 = hash.digest('hex');
  return {
    sha256,
    bytes,
    discard,
    publish: () =>
      explained(action, async () => {
        await refuseTaken(path, folder.complete, action);
        if (!(await publishFile(temporary, path))) throw new PipelineError('OUTPUT_EXISTS', action);
        // While the file has two names, no watcher takes it.
        await discard();
        await syncFolder(folder.path);
        await announce(path, folder.complete, sha256).catch(async (error: unknown) => {
          // Without its marker no process has taken it, or ever would. The marker goes first, because it may be there in
          // spite of the error, and alone it would keep the name taken.
          if (folder.complete.by !== 'quiet')
            await rm(path + markerEndingOf(folder.complete), { force: true }).catch(() => undefined);
          await rm(path, { force: true });
          throw error;
        });
        await syncFolder(folder.path);
      }),
  };
}

/**
 * Finishes what `publish` began in a process that died: the file had its name, perhaps still a second one, and perhaps
 * no marker yet. Until then no watcher takes it.
 * @returns whether the file lies there with these bytes
 */
export async function finishDrop(
  { path: dir, complete }: { path: string; complete: CompleteBy },
  name: string,
  sha256: string,
): Promise<boolean> {
  const path = join(dir, name);
  const isAnnounced = complete.by === 'quiet' || (await lstatOrNothing(path + markerEndingOf(complete))) !== undefined;
  if ((await hashFile(path)) !== sha256) return false;
  await removeSecondName(dir, name);
  if (!isAnnounced) await announce(path, complete, sha256);
  return true;
}

/**
 * Takes the temporary name from a file of our own whose writer died right after giving it its own. A drop with two names
 * is otherwise quarantined as it lies there.
 * @returns whether it had one
 */
export async function removeSecondName(dir: string, name: string): Promise<boolean> {
  const file = await lstatOrNothing(join(dir, name));
  if (file === undefined) return false;
  let isOurs = false;
  for (const other of await readdir(dir)) {
    if (!other.startsWith(`.${name}.`) || !other.endsWith(UNFINISHED_ENDING)) continue;
    if ((await lstatOrNothing(join(dir, other)))?.ino !== file.ino) continue;
    await rm(join(dir, other), { force: true });
    isOurs = true;
  }
  if (isOurs) await syncFolder(dir);
  return isOurs;
}

/**
 * Writes the marker last, because it says that the file is whole. A marker that doubles as the control file must have
 * content, or the file is held.
 */
async function announce(path: string, complete: CompleteBy, sha256: string): Promise<void> {
  if (complete.by === 'quiet') return;
  const ending = markerEndingOf(complete);
  const text = ending === SIDECAR ? `sha256=${sha256}\n` : '';
  await writeFile(path + ending, text, { mode: 0o600 });
}

/** Returns a name for a file made from another: the old name, the id of the old file, then a number. */
export function followUpName(originalName: string, shortId: string, number: number): string {
  const stem = displayName(stemOf(originalName))
    .replace(/[<>:"|?*]|\p{Cs}/gu, '_')
    .replace(/^[.\-\s~]/, '_');
  return `${stem.slice(0, LONGEST_STEM) || 'file'}__${shortId}-again-${number}.csv`;
}

/** File names may have 255 bytes, and a character may take four. */
const LONGEST_STEM = 40;

/** Refuses a taken name. A control file or marker already there would be read as part of the new file. */
async function refuseTaken(path: string, complete: CompleteBy, action: string): Promise<void> {
  if (await isNameTaken(path, complete)) throw new PipelineError('OUTPUT_EXISTS', action);
}

/** Returns whether a file, or a companion of such a file, exists under a name in a drop folder. */
export async function isNameTaken(path: string, complete: CompleteBy): Promise<boolean> {
  const endings = new Set(['', SIDECAR, markerEndingOf(complete)]);
  const found = await Promise.all([...endings].map((ending) => lstatOrNothing(path + ending)));
  return found.some((stats) => stats !== undefined);
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
