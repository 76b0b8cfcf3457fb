import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crashPoint } from '../kernel/crash-point.ts';
import { PipelineError, systemCode } from '../kernel/errors.ts';
import { explainSystemError } from './explain-system-error.ts';
import { hashOpened } from './hash-file.ts';

/** An output under its temporary name, whose content goes in piece by piece. */
export type OutputDraft = {
  readonly name: string;
  readonly temporary: string;
  /** What stands in errors: the output and what is done with it. */
  readonly action: string;
  /** Bytes behind those that came before; they may be used again once this returns. Wait for it before the next. */
  append(bytes: Uint8Array): Promise<void>;
  /** Puts all of it on the disk and reads it back. Doing it again does nothing. */
  finish(): Promise<Content>;
  /** Removes what has the temporary name, if anything has it still. What cannot be removed goes with removeStaleTemporaries. */
  discard(): Promise<void>;
};

/** Hash and size of what was handed out, counted independently of what the disk then holds. */
export type Content = { sha256: string; bytes: number };

/**
 * Begins an output in a folder, which is made where it is missing. `name` stands in errors, so it must be masked (see
 * outputName).
 * @throws PipelineError DISK_FULL, FOLDER_NOT_WRITABLE, FOLDER_MISSING, here and in everything that a draft does
 */
export async function openDraft(dir: string, name: string): Promise<OutputDraft> {
  const action = `write the output "${name}"`;
  const temporary = join(dir, `.${name}.${randomBytes(8).toString('hex')}${TEMPORARY_ENDING}`);
  const explained = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      throw explainSystemError(error, action);
    }
  };
  const handle = await explained(openNew(dir, temporary, action));
  const hash = createHash('sha256');
  let bytes = 0;
  let waiting = 0;
  let early: Promise<void> | undefined;
  let finished: Promise<Content> | undefined;

  async function append(piece: Uint8Array): Promise<void> {
    const written = handle.writeFile(piece);
    // The hash is made while the disk writes.
    hash.update(piece);
    bytes += piece.length;
    waiting += piece.length;
    await written;
    if (waiting < EARLY_SYNC_BYTES) return;
    waiting = 0;
    await early;
    early = handle.datasync();
    // Whoever waits for it learns of its failure; until then it is nobody's.
    early.catch(() => undefined);
  }

  async function sync(): Promise<Content> {
    const content = { sha256: hash.digest('hex'), bytes };
    try {
      await early;
      await handle.sync();
      crashPoint('output.draft-written');
      // Read back before it gets its name as well: a bad copy under the final name could never be replaced.
      if ((await hashOpened(handle)) !== content.sha256) throw new PipelineError('OUTPUT_MISMATCH', action);
    } finally {
      await handle.close();
    }
    return content;
  }

  async function discard(): Promise<void> {
    await (finished ?? handle.close()).catch(() => undefined);
    await rm(temporary, { force: true }).catch(() => undefined);
  }

  return {
    name,
    temporary,
    action,
    append: (piece) => explained(append(piece)),
    finish: () => (finished ??= explained(sync())),
    discard,
  };
}

/** A large output is put on the disk while the rest of it is made, so that its end need not wait for all of it. */
const EARLY_SYNC_BYTES = 16_777_216;

const TEMPORARY_ENDING = '.tmp';

/** Shape of the names of unfinished outputs: `.<name>.<16 hex digits>.tmp`. */
export const TEMPORARY_OUTPUT = /^\..+\.[0-9a-f]{16}\.tmp$/s;

/** Tries the file first: the folder is nearly always there. */
async function openNew(dir: string, temporary: string, action: string) {
  try {
    return await open(temporary, 'wx+', 0o600);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') throw error;
  }
  await makeFolder(dir, action);
  return open(temporary, 'wx+', 0o600);
}

async function makeFolder(dir: string, action: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST' && systemCode(error) !== 'ENOTDIR') throw error;
    const next = 'Move the file away; the folder is made again and the output written.';
    throw new PipelineError('FOLDER_MISSING', action, `a file stands in the place of the folder "${dir}"`, { next });
  }
}
