import { createHash, randomBytes, type Hash } from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, fsync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { type FileHandle, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crashPoint } from '../kernel/crash-point.ts';
import { PipelineError, systemCode } from '../kernel/errors.ts';
import { FILE_ID } from '../kernel/ids.ts';
import { PIECE_BYTES, readPieces, writeWhole } from '../kernel/file-bytes.ts';
import type { DataKey } from './data-key.ts';
import { openStream, sealStream } from './seal-stream.ts';
import { syncFolder } from '../kernel/folders.ts';

/**
 * Returns the path of a sealed original: archive/yyyy/mm/dd/<fileId>.sealed, by the UTC day of the claim. The path
 * depends on no local time zone and holds nothing chosen by the sender.
 */
export function archivePath(archiveDir: string, fileId: string, claimedAt: Date): string {
  // Anything else could lead out of the archive. The message does not quote it, because its content is unknown.
  if (!FILE_ID.test(fileId))
    throw new PipelineError('INTERNAL', 'find a place in the archive', 'this is not a file id');
  const [year = '', month = '', day = ''] = claimedAt.toISOString().slice(0, 10).split('-');
  return join(archiveDir, year, month, day, `${fileId}.sealed`);
}

/** Returns a new name beside a sealed original, for another try to seal the same file. */
export function besideSealed(path: string): string {
  return path.replace(/\.sealed$/, `.${randomBytes(6).toString('hex')}.sealed`);
}

/**
 * Seals a whole file, from its first byte to its end, into a new file that only its owner may read. On return the
 * sealed file is complete on disk under its name; after a crash it is complete or absent. Missing folders are created,
 * for the owner only.
 * @param options.from an open file, which is read from its start and stays open, or a path, or the bytes themselves. A
 * path may not be a symbolic link
 * @returns SHA-256 (64 hexadecimal digits) and number of the plain bytes, as they were read
 * @throws OUTPUT_EXISTS when `to` exists: it is never replaced. DISK_FULL, and DROP_UNREADABLE when `from` is a path
 * that may not be read
 */
export async function sealFile(options: {
  from: FileHandle | string | AsyncIterable<Uint8Array>;
  to: string;
  key: DataKey;
  purpose: string;
}): Promise<{ sha256: string; bytes: number }> {
  const { from, to, key, purpose } = options;
  if (typeof from !== 'string') return sealPieces('fd' in from ? piecesOf(from.fd) : from, to, key, purpose);
  const source = openSource(from, to);
  try {
    return await sealPieces(piecesOf(source), to, key, purpose);
  } finally {
    closeSync(source);
  }
}

/** Its size is asked for only when it is read. */
async function* piecesOf(fd: number): AsyncGenerator<Buffer> {
  yield* readPieces(fd, fstatSync(fd).size);
}

async function sealPieces(from: AsyncIterable<Uint8Array>, to: string, key: DataKey, purpose: string) {
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

/** Removes the draft. A failure is ignored: then nothing was made, and the cause is already reported. */
function removeDraft(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    return;
  }
}

/** Explains faults of the archive folder, not of the file. */
function explain(error: unknown, to: string): unknown {
  if (isDiskFull(error)) return new PipelineError('DISK_FULL', `seal "${to}"`, undefined, { cause: error });
  const code = systemCode(error) ?? '';
  const action = `write into the archive folder "${dirname(to)}"`;
  if (['ENOTDIR', 'EEXIST'].includes(code))
    return new PipelineError('FOLDER_MISSING', action, 'a file has its name', { next: 'Move the file away.' });
  return ['EACCES', 'EPERM', 'EROFS', 'ENOENT'].includes(code)
    ? new PipelineError('FOLDER_NOT_WRITABLE', action, undefined, { cause: error })
    : error;
}

/**
 * Returns the plain bytes of a sealed file. Every failure is an error of the stream: SEAL_BROKEN, also for a missing
 * file, or a system error. As with `openStream`, the bytes are complete only once the stream has ended. Destroying it
 * closes the file.
 */
export function openSealedFile(path: string, key: DataKey, purpose: string): Readable {
  // Object mode passes each chunk on as it was opened; a byte stream would concatenate waiting chunks and copy them.
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
    const next = 'Restore it from a copy of the archive; "paydrop doctor" lists all missing originals.';
    throw new PipelineError('SEAL_BROKEN', `open "${purpose}" of file "${key.fileId}"`, 'it is not in the archive', {
      next,
    });
  }
}

/**
 * Removes a sealed file, what other tries sealed beside it, and their drafts (security codes must not be kept). A
 * missing file is no error, so the step can be repeated after a crash. Copies in backups and on the disk become
 * unreadable only when the wrapped data key is deleted too.
 */
export async function destroySealedFile(path: string): Promise<void> {
  const [fileId] = basename(path).split('.');
  await removeFrom(dirname(path), [`${fileId}.`, `.${fileId}.`]);
}

/**
 * Destroys a file like `destroySealedFile`, and leaves an empty note in its place. A ledger that goes back to before
 * the file was refused learns from the note that the original will not come back.
 */
export async function destroyForGood(path: string): Promise<void> {
  // The note comes first: after a crash both steps are repeated, unless the ledger has forgotten them.
  await makeFolder(dirname(path));
  await writeFile(notePath(path), '', { mode: 0o600 });
  await destroySealedFile(path);
}

/** Returns whether `destroyForGood` has destroyed this file. */
export function wasDestroyed(path: string): boolean {
  return existsSync(notePath(path)) && !existsSync(path);
}

/** One for all tries to seal the file, with a name that `listSealed` takes for none of its files. */
function notePath(path: string): string {
  return join(dirname(path), `${basename(path).split('.')[0]}${NOTE_ENDING}`);
}

const NOTE_ENDING = '.destroyed';

/** Removes the drafts that dead tries to seal a file left. A try that goes on fails, and is made again. */
export async function removeDrafts(path: string): Promise<void> {
  await removeFrom(dirname(path), [`.${basename(path).split('.')[0]}.`]);
}

async function removeFrom(folder: string, beginnings: readonly string[]): Promise<void> {
  const names = await listNames(folder);
  if (!names) return;
  const doomed = names.filter((name) => isDoomed(name, beginnings));
  for (const name of doomed) await rm(join(folder, name), { force: true });
  await syncFolder(folder);
}

function isDoomed(name: string, beginnings: readonly string[]): boolean {
  return !name.endsWith(NOTE_ENDING) && beginnings.some((beginning) => name.startsWith(beginning));
}

/**
 * Opens the source. The system's own message is dropped: it holds the path, and senders put numbers into file names.
 */
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

/** Returns a new name for every attempt, so that two concurrent ones cannot write into the same file. */
function draftPath(to: string): string {
  return join(dirname(to), `.${basename(to)}.${randomBytes(6).toString('hex')}.part`);
}

/** Creates the missing folders and syncs each of them: a file is only as durable as the path to it. */
async function makeFolder(folder: string): Promise<void> {
  const firstMade = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return;
  // Resolved, because Node returns the absolute path even for a relative one.
  const top = resolve(firstMade);
  for (let made = resolve(folder); made.length >= top.length; made = dirname(made)) await syncFolder(dirname(made));
}

async function writeDraft(draft: string, from: AsyncIterable<Uint8Array>, key: DataKey, purpose: string) {
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

/** Hashes the bytes as they are sealed, so that hash and sealed file cannot be of two versions of the source. */
async function* readPlain(
  from: AsyncIterable<Uint8Array>,
  hash: Hash,
  counted: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const piece of from) {
    hash.update(piece);
    counted.bytes += piece.length;
    yield piece;
  }
}

/** Links the draft to its name. A link, unlike a rename, fails when the name is taken. The caller removes the draft. */
async function nameDraft(draft: string, to: string): Promise<void> {
  try {
    linkSync(draft, to);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    const next = 'Nothing was changed; a sealed file is never replaced.';
    throw new PipelineError('OUTPUT_EXISTS', `seal "${to}"`, 'the file already exists', { next });
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
