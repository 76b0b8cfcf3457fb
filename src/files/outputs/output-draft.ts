import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fdatasync, fstatSync, fsync, mkdirSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rm } from 'node:fs/promises';
import { crashPoint } from '../../kernel/crash-point.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { writeWhole } from '../../kernel/file-bytes.ts';
import { explained, type FolderEntry, listFolder } from '../list-folder.ts';
import { hashOpened, type LookAtPieces } from '../open-plain-file.ts';
import type { Clock } from '../../kernel/clock.ts';

/** An output under its temporary name, written piece by piece. */
export type OutputDraft = {
  readonly name: string;
  readonly temporary: string;
  /** Text for errors: the output and what is done with it. */
  readonly action: string;
  /** Appends bytes. Wait for the result before the next call; the caller may reuse the bytes after it. */
  append(bytes: Uint8Array): Promise<void>;
  /**
   * Writes everything to disk and reads it back. Safe to repeat.
   * @param look receives the bytes that are read, to the end
   */
  finish(look?: LookAtPieces): Promise<Content>;
  /** Removes the temporary file if it still exists. `removeStaleTemporaries` gets what cannot be removed here. */
  discard(): Promise<void>;
};

/** Hash and size of the appended bytes, counted independently of the disk, and the mark of the verified file. */
export type Content = { sha256: string; bytes: number; mark: FileMark };

/** Tells a file apart from any other, and from itself after a later write. */
export type FileMark = string;

export function markOf({ dev, ino, size, mtimeNs }: Record<'dev' | 'ino' | 'size' | 'mtimeNs', bigint>): FileMark {
  return [dev, ino, size, mtimeNs].join(' ');
}

/**
 * Starts an output in a folder, which is created if missing. `name` appears in errors, so it must be masked (see
 * `outputName`).
 * Nearly all outputs are small, and handing so few bytes to another thread takes longer than the work. So most calls
 * are synchronous; only writes to disk are awaited.
 * @throws PipelineError DISK_FULL, FOLDER_NOT_WRITABLE, FOLDER_MISSING, here and in all methods of the draft
 */
export async function openDraft(dir: string, name: string): Promise<OutputDraft> {
  const action = `write the output "${name}"`;
  const temporary = join(dir, `.${name}.${randomBytes(8).toString('hex')}${TEMPORARY_ENDING}`);
  const fd = await explained(action, () => openNew(dir, temporary, action));
  const hash = createHash('sha256');
  let bytes = 0;
  let waiting = 0;
  let writing: Promise<void> | undefined;
  let early: Promise<void> | undefined;
  let finished: Promise<Content> | undefined;

  async function append(piece: Uint8Array): Promise<void> {
    bytes += piece.length;
    waiting += piece.length;
    writing = writeWhole(fd, piece);
    // Hash while the disk writes.
    hash.update(piece);
    await writing;
    if (waiting < EARLY_SYNC_BYTES) return;
    waiting = 0;
    await early;
    early = datasync(fd);
    // The next await reports a failure; this handler prevents an unhandled rejection until then.
    early.catch(() => undefined);
  }

  async function sync(look?: LookAtPieces): Promise<Content> {
    const sha256 = hash.digest('hex');
    try {
      await early;
      await syncAll(fd);
      crashPoint('output.draft-written');
      // Read back before it gets its final name: a bad copy there could never be replaced. The mark reveals any later
      // write.
      const mark = markOf(fstatSync(fd, { bigint: true }));
      if ((await hashOpened(fd, bytes, look)) !== sha256) throw new PipelineError('OUTPUT_MISMATCH', action);
      return { sha256, bytes, mark };
    } finally {
      closeSync(fd);
    }
  }

  async function discard(): Promise<void> {
    // The system reuses the number of a closed file, so all writes to it must have ended.
    if (finished) await finished.catch(() => undefined);
    else await Promise.allSettled([writing, early]).then(() => closeSync(fd));
    try {
      unlinkSync(temporary);
    } catch {
      // It was already renamed, or cannot be removed.
    }
  }

  return {
    name,
    temporary,
    action,
    append: (piece) => explained(action, () => append(piece)),
    finish: (look) => (finished ??= explained(action, () => sync(look))),
    discard,
  };
}

/** A large output is synced while the rest is made, so that the final sync is short. */
const EARLY_SYNC_BYTES = 16_777_216;

const TEMPORARY_ENDING = '.tmp';

/** Names of unfinished outputs: `.<name>.<16 hex digits>.tmp`. */
export const TEMPORARY_OUTPUT = /^\..+\.[0-9a-f]{16}\.tmp$/s;

const datasync = promisify(fdatasync);
const syncAll = promisify(fsync);

/** Tries the file first, because the folder nearly always exists. */
function openNew(dir: string, temporary: string, action: string): number {
  try {
    return openSync(temporary, 'wx+', 0o600);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') throw error;
  }
  makeFolder(dir, action);
  return openSync(temporary, 'wx+', 0o600);
}

function makeFolder(dir: string, action: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST' && systemCode(error) !== 'ENOTDIR') throw error;
    const next = 'Move the file away; the folder is made again and the output written.';
    throw new PipelineError('FOLDER_MISSING', action, `a file has the name of the folder "${dir}"`, { next });
  }
}

/**
 * Lists what processes killed while writing an output have left in a folder. Younger files are spared, because another
 * process may still be writing them. A missing folder has none.
 */
export async function findStaleTemporaries(
  dir: string,
  options: { olderThanMs: number; clock: Clock },
): Promise<FolderEntry[]> {
  const latestMs = options.clock.now().getTime() - options.olderThanMs;
  return (await listTemporaries(dir)).filter(({ stats }) => stats.isFile() && Number(stats.mtimeMs) < latestMs);
}

async function listTemporaries(dir: string): Promise<FolderEntry[]> {
  try {
    return await listFolder(dir, (key) => TEMPORARY_OUTPUT.test(key));
  } catch (error) {
    if (error instanceof PipelineError && error.code === 'FOLDER_MISSING') return [];
    throw error;
  }
}

/**
 * Removes what processes killed while writing an output have left in a folder.
 * @returns how many were removed
 */
export async function removeStaleTemporaries(
  dir: string,
  options: { olderThanMs: number; clock: Clock },
): Promise<number> {
  const stale = await findStaleTemporaries(dir, options);
  for (const { path } of stale) await rm(path, { force: true });
  return stale.length;
}
