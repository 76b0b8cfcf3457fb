import { createHash, randomBytes } from 'node:crypto';
import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { PipelineError } from '../kernel/errors.ts';
import { maskName } from '../kernel/mask.ts';
import { stemOf } from './message-name.ts';
import { displayName } from './display-name.ts';
import { explainSystemError } from './explain-system-error.ts';
import { lstatOrNothing } from './list-folder.ts';
import { publishFile } from './outputs/publish-file.ts';
import { type CompleteBy, SIDECAR } from './scan-folder.ts';
import { UNFINISHED_ENDING, syncFolder } from './write-durably.ts';

/**
 * A payment file of our own on its way into a drop folder. It lies there under a name that no watcher takes, whole and on
 * the disk; `publish` gives it its name in one step, as a careful sender would.
 */
export type WaitingDrop = {
  /** Of what was written, in lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
  publish(): Promise<void>;
  discard(): Promise<void>;
};

/**
 * @param name    a file of that name is never replaced; long numbers in it are masked in errors
 * @param content lines or pieces as they are made, so that a file of any length costs no memory
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
    // Opened before anything can break off, or it might be made after it was removed.
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
    publish: async () => {
      try {
        await refuseTaken(path, folder.complete, action);
        if (!(await publishFile(temporary, path))) throw new PipelineError('OUTPUT_EXISTS', action);
        // As long as it has two names, no watcher takes it.
        await discard();
        await syncFolder(folder.path);
        await announce(path, folder.complete, sha256).catch(async (error: unknown) => {
          // Without its marker nobody has taken it, and nobody would.
          await rm(path, { force: true });
          throw error;
        });
        await syncFolder(folder.path);
      } catch (error) {
        throw explainSystemError(error, action);
      }
    },
  };
}

/**
 * The marker says that the file is whole, so it comes last. One that is the control file as well must say something, or
 * the file is held for it.
 */
async function announce(path: string, complete: CompleteBy, sha256: string): Promise<void> {
  if (complete.by !== 'marker') return;
  const text = complete.suffix === SIDECAR ? `sha256=${sha256}\n` : '';
  await writeFile(path + complete.suffix, text, { mode: 0o600 });
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

/** A control file or a marker that lies there for that name would be read as one of the new file. */
async function refuseTaken(path: string, complete: CompleteBy, action: string): Promise<void> {
  if (await isNameTaken(path, complete)) throw new PipelineError('OUTPUT_EXISTS', action);
}

/** Whether something lies in a drop folder under a name, or that would go with a file of that name. */
export async function isNameTaken(path: string, complete: CompleteBy): Promise<boolean> {
  const endings = new Set(['', SIDECAR, ...(complete.by === 'marker' ? [complete.suffix] : [])]);
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
