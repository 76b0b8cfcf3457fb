import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { systemCode } from '../kernel/errors.ts';
import { lstatOrNothing } from './list-folder.ts';

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
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (EXCHANGED.has(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** Gone, a link, a socket: what a plain file may become between the check and the open. */
const EXCHANGED = new Set(['ENOENT', 'ELOOP', 'ENXIO']);

/**
 * Reads a small plain file whole.
 * @returns its bytes, or undefined when it is missing, not a plain file, or larger than `maxBytes`
 */
export async function readPlainFile(path: string | Buffer, maxBytes: number): Promise<Buffer | undefined> {
  const handle = await openPlainFile(path);
  if (handle === undefined) return undefined;
  try {
    // One byte beyond the limit shows that the file is too large; nothing more is ever read.
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    while (length <= maxBytes) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
    }
    return undefined;
  } finally {
    await handle.close();
  }
}
