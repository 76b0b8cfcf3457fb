import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fdatasync, fstatSync, fsync, mkdirSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crashPoint } from '../../kernel/crash-point.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { writeWhole } from '../../kernel/write-whole.ts';
import { explainSystemError } from '../explain-system-error.ts';
import { hashOpened, type LookAtPieces } from '../hash-file.ts';

/** An output under its temporary name, whose content goes in piece by piece. */
export type OutputDraft = {
  readonly name: string;
  readonly temporary: string;
  /** What stands in errors: the output and what is done with it. */
  readonly action: string;
  /** Bytes behind those that came before; they may be used again once this returns. Wait for it before the next. */
  append(bytes: Uint8Array): Promise<void>;
  /**
   * Puts all of it on the disk and reads it back. Doing it again does nothing.
   * @param look takes what is read, to the last piece
   */
  finish(look?: LookAtPieces): Promise<Content>;
  /** Removes what has the temporary name, if anything has it still. What cannot be removed goes with removeStaleTemporaries. */
  discard(): Promise<void>;
};

/**
 * Hash and size of what was handed out, counted independently of what the disk then holds; and the mark of the file that was
 * found to hold just that.
 */
export type Content = { sha256: string; bytes: number; mark: FileMark };

/** Tells a file apart from any other, and from itself after somebody wrote into it. */
export type FileMark = string;

export function markOf({ dev, ino, size, mtimeNs }: Record<'dev' | 'ino' | 'size' | 'mtimeNs', bigint>): FileMark {
  return [dev, ino, size, mtimeNs].join(' ');
}

/**
 * Begins an output in a folder, which is made where it is missing. `name` stands in errors, so it must be masked (see
 * outputName).
 *
 * Nearly all outputs are small, and what is done with so few bytes takes less time than to have another thread do it. So only
 * the way to the disk is waited for.
 * @throws PipelineError DISK_FULL, FOLDER_NOT_WRITABLE, FOLDER_MISSING, here and in everything that a draft does
 */
export async function openDraft(dir: string, name: string): Promise<OutputDraft> {
  const action = `write the output "${name}"`;
  const temporary = join(dir, `.${name}.${randomBytes(8).toString('hex')}${TEMPORARY_ENDING}`);
  const explained = async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw explainSystemError(error, action);
    }
  };
  const fd = await explained(() => openNew(dir, temporary, action));
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
    // The hash is made while the disk writes.
    hash.update(piece);
    await writing;
    if (waiting < EARLY_SYNC_BYTES) return;
    waiting = 0;
    await early;
    early = datasync(fd);
    // Whoever waits for it learns of its failure; until then it is nobody's.
    early.catch(() => undefined);
  }

  async function sync(look?: LookAtPieces): Promise<Content> {
    const sha256 = hash.digest('hex');
    try {
      await early;
      await syncAll(fd);
      crashPoint('output.draft-written');
      // Read back before it gets its name: a bad copy under the final name could never be replaced. What is written into it
      // from here on shows in its mark.
      const mark = markOf(fstatSync(fd, { bigint: true }));
      if ((await hashOpened(fd, bytes, look)) !== sha256) throw new PipelineError('OUTPUT_MISMATCH', action);
      return { sha256, bytes, mark };
    } finally {
      closeSync(fd);
    }
  }

  async function discard(): Promise<void> {
    // The number of a closed file is given to the next one, so nobody may be writing by it any more.
    if (finished) await finished.catch(() => undefined);
    else await Promise.allSettled([writing, early]).then(() => closeSync(fd));
    try {
      unlinkSync(temporary);
    } catch {
      // It got its name by a rename, or cannot be removed.
    }
  }

  return {
    name,
    temporary,
    action,
    append: (piece) => explained(() => append(piece)),
    finish: (look) => (finished ??= explained(() => sync(look))),
    discard,
  };
}

/** A large output is put on the disk while the rest of it is made, so that its end need not wait for all of it. */
const EARLY_SYNC_BYTES = 16_777_216;

const TEMPORARY_ENDING = '.tmp';

/** Shape of the names of unfinished outputs: `.<name>.<16 hex digits>.tmp`. */
export const TEMPORARY_OUTPUT = /^\..+\.[0-9a-f]{16}\.tmp$/s;

const datasync = promisify(fdatasync);
const syncAll = promisify(fsync);

/** Tries the file first: the folder is nearly always there. */
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
    throw new PipelineError('FOLDER_MISSING', action, `a file stands in the place of the folder "${dir}"`, { next });
  }
}
