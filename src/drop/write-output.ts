import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { callbackify } from 'node:util';
import { crashPoint } from '../kernel/crash-point.ts';
import { PipelineError, systemCode } from '../kernel/errors.ts';
import { explainSystemError } from './explain-system-error.ts';
import { hashFile } from './hash-file.ts';
import { publishFile } from './publish-file.ts';
import { syncFolder } from './write-durably.ts';

export type Written = { path: string; sha256: string; bytes: number };

export type OutputOptions = { dir: string; name: string; write: (out: Writable) => Promise<void> };

/**
 * Writes an output file that is absent or complete at any instant, never replaces one, and is read back before it counts
 * (F57). A file of that name with the very same bytes is a success: an earlier process published it and died before it
 * could say so. `write` need not end the stream. `name` stands in errors, so it must be masked (see outputName).
 * @throws PipelineError OUTPUT_EXISTS, OUTPUT_MISMATCH, DISK_FULL, FOLDER_NOT_WRITABLE, FOLDER_MISSING; whatever
 * `write` throws
 */
export async function writeOutput({ dir, name, write }: OutputOptions): Promise<Written> {
  const action = `write the output "${name}"`;
  const path = join(dir, name);
  const temporary = join(dir, `.${name}.${randomBytes(8).toString('hex')}${TEMPORARY_ENDING}`);
  try {
    await makeFolder(dir, action);
    const content = await writeTemporary(temporary, write);
    crashPoint('output.draft-written');
    // Read back before it gets its name as well: a bad copy under the final name could never be replaced.
    if ((await hashFile(temporary)) !== content.sha256) throw new PipelineError('OUTPUT_MISMATCH', action);
    const isOurs = await publishFile(temporary, path);
    crashPoint('output.published');
    await syncFolder(dir);
    if ((await hashFile(path)) !== content.sha256)
      throw new PipelineError(isOurs ? 'OUTPUT_MISMATCH' : 'OUTPUT_EXISTS', action);
    crashPoint('output.read-back');
    return { path, ...content };
  } catch (error) {
    throw explainSystemError(error, action);
  } finally {
    // What cannot be removed now goes with removeStaleTemporaries, and must not hide the outcome.
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

async function makeFolder(dir: string, action: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    const next = 'Move the file away; the folder is made again and the output written.';
    throw new PipelineError('FOLDER_MISSING', action, `a file stands in the place of the folder "${dir}"`, { next });
  }
}

const TEMPORARY_ENDING = '.tmp';

/** Shape of the names of unfinished outputs: `.<name>.<16 hex digits>.tmp`. */
export const TEMPORARY_OUTPUT = /^\..+\.[0-9a-f]{16}\.tmp$/s;

type Content = { sha256: string; bytes: number };

async function writeTemporary(path: string, write: OutputOptions['write']): Promise<Content> {
  const handle = await open(path, 'wx', 0o600);
  try {
    const { out, content } = countedStream(handle);
    await Promise.race([endAfter(write, out), failureOf(out)]);
    await handle.sync();
    return content();
  } finally {
    await handle.close();
  }
}

async function endAfter(write: OutputOptions['write'], out: Writable): Promise<void> {
  try {
    await write(out);
    if (!out.writableEnded) out.end();
    await finished(out);
  } catch (error) {
    out.destroy();
    throw out.errored ?? error;
  }
}

/** A full disk ends the wait at once: a writer that waits for the stream to drain would otherwise wait for ever. */
async function failureOf(out: Writable): Promise<never> {
  return await new Promise((_resolve, reject) => out.once('error', reject));
}

/** A stream into an open file that keeps count of what was handed to it, independently of what the disk then holds. */
function countedStream(handle: FileHandle): { out: Writable; content: () => Content } {
  const hash = createHash('sha256');
  let bytes = 0;
  const store = async (chunk: Buffer): Promise<void> => {
    hash.update(chunk);
    bytes += chunk.length;
    await handle.writeFile(chunk);
  };
  const storeOne = callbackify(store);
  const out = new Writable({
    write: (chunk: Buffer, _encoding, done) => storeOne(chunk, done),
    // Rows come one by one; those that gathered while the disk was busy go out together.
    writev: (chunks, done) => storeOne(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)), done),
  });
  return { out, content: () => ({ sha256: hash.digest('hex'), bytes }) };
}
