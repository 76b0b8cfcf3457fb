import { createHash, randomBytes, type Hash } from 'node:crypto';
import { closeSync, constants, fstatSync, fsync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { type FileHandle, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crashPoint } from '../kernel/crash-point.ts';
import { PipelineError, systemCode } from '../kernel/errors.ts';
import { FILE_ID } from '../kernel/ids.ts';
import { PIECE_BYTES, readPieces } from '../kernel/read-pieces.ts';
import { writeWhole } from '../kernel/write-whole.ts';
import type { DataKey } from './data-key.ts';
import { openStream, sealStream } from './seal-stream.ts';
import { syncFolder } from './sync-folder.ts';

/**
 * Where the sealed original of a payment file lies: archive/yyyy/mm/dd/<fileId>.sealed, by the UTC day of the
 * claim, so that the place does not depend on the time zone of whoever looks. The name holds nothing of the sender's.
 */
export function archivePath(archiveDir: string, fileId: string, claimedAt: Date): string {
  // Anything else could lead out of the archive. It is not quoted, because nobody knows what it is.
  if (!FILE_ID.test(fileId)) throw new PipelineError('INTERNAL', 'find a place in the archive', 'this is no file id');
  const [year = '', month = '', day = ''] = claimedAt.toISOString().slice(0, 10).split('-');
  return join(archiveDir, year, month, day, `${fileId}.sealed`);
}

/**
 * Seals a whole file, from its first byte to its end, into a new file that only its owner may read. When this returns,
 * the sealed file is on the disk under its name, complete; after a crash it is complete or absent. Folders that are
 * missing are made, for the owner only.
 * @param options.from an open file, which is read wherever its position is and stays open, or a path. A path may not be
 *                     a symbolic link
 * @returns SHA-256 (64 hexadecimal digits) and number of the plain bytes, as they were read
 * @throws OUTPUT_EXISTS when `to` is there already: it is never replaced, whatever it holds. DISK_FULL, and
 *         DROP_UNREADABLE when `from` is a path that may not be read
 */
export async function sealFile(options: {
  from: FileHandle | string;
  to: string;
  key: DataKey;
  purpose: string;
}): Promise<{ sha256: string; bytes: number }> {
  const { from, to, key, purpose } = options;
  if (typeof from !== 'string') return sealOpened(from.fd, to, key, purpose);
  const source = openSource(from, to);
  try {
    return await sealOpened(source, to, key, purpose);
  } finally {
    closeSync(source);
  }
}

async function sealOpened(from: number, to: string, key: DataKey, purpose: string) {
  const draft = draftPath(to);
  try {
    await makeFolder(dirname(to));
    const sealed = await writeDraft(draft, from, key, purpose);
    crashPoint('seal.draft-written');
    await nameDraft(draft, to);
    crashPoint('seal.named');
    return sealed;
  } catch (error) {
    throw explain(error, to);
  } finally {
    removeDraft(draft);
  }
}

/** Where nothing can be removed nothing was made; why is said already. */
function removeDraft(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    return;
  }
}

/** Faults of the archive folder, not of the file. */
function explain(error: unknown, to: string): unknown {
  if (isDiskFull(error)) return new PipelineError('DISK_FULL', `seal "${to}"`, undefined, { cause: error });
  const code = systemCode(error) ?? '';
  const action = `write into the archive folder "${dirname(to)}"`;
  if (['ENOTDIR', 'EEXIST'].includes(code))
    return new PipelineError('FOLDER_MISSING', action, 'a file stands in its place', { next: 'Move the file away.' });
  return ['EACCES', 'EPERM', 'EROFS', 'ENOENT'].includes(code)
    ? new PipelineError('FOLDER_NOT_WRITABLE', action, undefined, { cause: error })
    : error;
}

/**
 * The plain bytes of a sealed file. Whatever fails is the stream's error: SEAL_BROKEN, also when it is not there, or the
 * system's own. As with `openStream`, the bytes are the whole only once the stream has ended. Destroying it closes the file.
 */
export function openSealedFile(path: string, key: DataKey, purpose: string): Readable {
  // Chunk by chunk, as they were opened: a stream of bytes would put those that wait together, and copy them for it.
  return Readable.from(openPlain(path, key, purpose), { objectMode: true, highWaterMark: 1 });
}

async function* openPlain(path: string, key: DataKey, purpose: string): AsyncGenerator<Buffer> {
  const fd = openSealed(path, key, purpose);
  try {
    yield* openStream(readPieces(fd, fstatSync(fd).size), key, purpose);
  } finally {
    closeSync(fd);
  }
}

function openSealed(path: string, key: DataKey, purpose: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    const next = 'Put it back from a copy of the archive; "paydrop doctor" names all that are missing.';
    throw new PipelineError('SEAL_BROKEN', `open "${purpose}" of file "${key.fileId}"`, 'it is not in the archive', {
      next,
    });
  }
}

/**
 * Removes a sealed file and what an interrupted sealing of it may have left (security codes must not be kept).
 * One that is gone already is no error, so that the step can be repeated after a crash. Copies in backups and on the
 * disk itself become unreadable only when the wrapped data key is deleted too.
 */
export async function destroySealedFile(path: string): Promise<void> {
  const folder = dirname(path);
  const names = await listNames(folder);
  if (!names) return;
  const doomed = names.filter((name) => name === basename(path) || isDraftOf(name, path));
  for (const name of doomed) await rm(join(folder, name), { force: true });
  await syncFolder(folder);
}

/** The system's own message is not passed on: it holds the path, and senders do put numbers into names of files. */
function openSource(from: string, to: string): number {
  try {
    return openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = systemCode(error);
    const mayNotRead = code === 'EACCES' || code === 'EPERM';
    throw new PipelineError(
      mayNotRead ? 'DROP_UNREADABLE' : 'INTERNAL',
      `seal a file as "${to}"`,
      `it cannot be opened (${code})`,
    );
  }
}

/** A name of its own for every try, so that two of them at once cannot write into each other's file. */
function draftPath(to: string): string {
  return join(dirname(to), `.${basename(to)}.${randomBytes(6).toString('hex')}.part`);
}

function isDraftOf(name: string, to: string): boolean {
  return name.startsWith(`.${basename(to)}.`) && name.endsWith('.part');
}

/** Makes the missing folders and puts each of them on the disk: a file is only as durable as the way to it. */
async function makeFolder(folder: string): Promise<void> {
  const firstMade = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return;
  // Resolved, because Node gives the whole path even for a relative one.
  const top = resolve(firstMade);
  for (let made = resolve(folder); made.length >= top.length; made = dirname(made)) await syncFolder(dirname(made));
}

async function writeDraft(draft: string, from: number, key: DataKey, purpose: string) {
  const target = openSync(draft, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    const counted = { bytes: 0 };
    await writeAll(target, sealStream(readPlain(from, hash, counted), key, purpose));
    await syncLater(target);
    return { sha256: hash.digest('hex'), bytes: counted.bytes };
  } finally {
    closeSync(target);
  }
}

const syncLater = promisify(fsync);

/** Some chunks at a time. */
async function writeAll(target: number, sealed: AsyncIterable<Buffer>): Promise<void> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const piece of sealed) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < PIECE_BYTES) continue;
    await writeWhole(target, Buffer.concat(waiting));
    waiting = [];
    bytes = 0;
  }
  await writeWhole(target, Buffer.concat(waiting));
}

/** Hashes the very bytes that are sealed, so that hash and sealed file cannot be of two versions of the source. */
async function* readPlain(from: number, hash: Hash, counted: { bytes: number }): AsyncGenerator<Buffer> {
  for await (const piece of readPieces(from, fstatSync(from).size)) {
    hash.update(piece);
    counted.bytes += piece.length;
    yield piece;
  }
}

/** A link, unlike a rename, fails when the name is taken. The draft's own name is removed afterwards. */
async function nameDraft(draft: string, to: string): Promise<void> {
  try {
    linkSync(draft, to);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    const next = 'Nothing was changed; a sealed file is never replaced.';
    throw new PipelineError('OUTPUT_EXISTS', `seal "${to}"`, 'there is a file already', { next });
  }
  await syncFolder(dirname(to));
}

async function listNames(folder: string): Promise<string[] | undefined> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isDiskFull(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}
