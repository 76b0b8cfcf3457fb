import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { systemCode } from '../kernel/errors.ts';
import { lstatNow, lstatOrNothing } from './list-folder.ts';
import { readPieces } from '../kernel/file-bytes.ts';

/**
 * Opens a file for reading, or returns undefined if it is missing or not plain. Anything else is not even opened,
 * because opening a pipe wakes its writer. The file may be swapped after the check. So the open follows no link, waits
 * for no pipe, and is checked again.
 */
export async function openPlainFile(path: string | Buffer): Promise<FileHandle | undefined> {
  const stats = await lstatOrNothing(path);
  if (!stats?.isFile()) return undefined;
  const handle = await openWithoutFollowing(path);
  if (handle === undefined || (await handle.stat()).isFile()) return handle;
  await handle.close();
  return undefined;
}

async function openWithoutFollowing(path: string | Buffer): Promise<FileHandle | undefined> {
  try {
    return await open(path, PLAIN_ONLY);
  } catch (error) {
    if (EXCHANGED.has(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

const PLAIN_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Nearly all files that are read whole are smaller. */
const SMALL_BYTES = 4_096;

/** Gone, a link, a socket: what a plain file may become between the check and the open. */
const EXCHANGED = new Set(['ENOENT', 'ELOOP', 'ENXIO']);

/**
 * Reads a small plain file whole, after the same checks. Handing so few bytes to another thread, call by call, takes
 * longer than reading them.
 * @returns its bytes, or undefined when it is missing, not a plain file, or larger than `maxBytes`
 */
export async function readPlainFile(path: string | Buffer, maxBytes: number): Promise<Buffer | undefined> {
  if (!lstatNow(path)?.isFile()) return undefined;
  const fd = openWithoutFollowingNow(path);
  if (fd === undefined) return undefined;
  try {
    return fstatSync(fd).isFile() ? readUpTo(fd, maxBytes) : undefined;
  } finally {
    closeSync(fd);
  }
}

function openWithoutFollowingNow(path: string | Buffer): number | undefined {
  try {
    return openSync(path, PLAIN_ONLY);
  } catch (error) {
    if (EXCHANGED.has(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

function readUpTo(fd: number, maxBytes: number): Buffer | undefined {
  // One byte beyond the limit shows that the file is too large; nothing more is ever read.
  let buffer = Buffer.allocUnsafe(Math.min(maxBytes + 1, SMALL_BYTES));
  let length = 0;
  while (length <= maxBytes) {
    if (length === buffer.length) buffer = Buffer.concat([buffer], maxBytes + 1);
    const bytesRead = readSync(fd, buffer, length, buffer.length - length, null);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  return undefined;
}

/**
 * Returns the SHA-256 of a plain file in lower-case hex, read in pieces.
 * @returns undefined when nothing is there, or something that is not a plain file
 */
export async function hashFile(path: string | Buffer): Promise<string | undefined> {
  const handle = await openPlainFile(path);
  if (handle === undefined) return undefined;
  try {
    return await hashOpened(handle.fd, (await handle.stat()).size);
  } finally {
    await handle.close();
  }
}

/** Consumes the pieces of a file to the end. Each piece is overwritten by the next. */
export type LookAtPieces = (pieces: AsyncIterable<Buffer>) => Promise<void>;

/**
 * Hashes an open file from its first byte to its last and leaves it open.
 * @param size expected size in bytes; the file may hold more
 * @param look receives the same pieces, so that the file need not be read twice
 */
export async function hashOpened(fd: number, size: number, look: LookAtPieces = takeAll): Promise<string> {
  const hash = createHash('sha256');
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const piece of readPieces(fd, size)) {
      hash.update(piece);
      yield piece;
    }
  }
  await look(counted());
  return hash.digest('hex');
}

async function takeAll(pieces: AsyncIterable<Buffer>): Promise<void> {
  for await (const _piece of pieces);
}
