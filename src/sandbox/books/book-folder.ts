import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';
import { PipelineError, reasonOf, systemCode } from '../../kernel/errors.ts';
import { syncFolder } from '../../kernel/folders.ts';

/**
 * Locks a folder for this sandbox; two that write the same books would cut each other's lines.
 *
 * The lock is a socket in the folder on which this process listens. The system ends the listening with the process,
 * however it ends. A process id in a file would be reused one day, and means something else in each container. Every
 * sandbox listens under its own name before it looks for others. So if two start together, at least one sees the other;
 * at worst both give up.
 * @returns a function that unlocks the folder
 * @throws CONFIG_INVALID when another sandbox has it, or when it cannot hold a socket
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const own = `sandbox-${randomBytes(6).toString('hex')}.lock`;
  const reached = await reachFolder(folder);
  const server = await listenAt(join(reached.path, own)).catch(async (error: unknown) => {
    await reached.close();
    throw new PipelineError('CONFIG_INVALID', lockAction(folder), reasonOf(error), { cause: error, next: NO_LOCK });
  });
  const unlock = async () => {
    await closeServer(server);
    await reached.close();
  };
  const others = (await readdir(folder)).filter((name) => LOCK_NAME.test(name) && name !== own);
  const held = await Promise.all(others.map((name) => isHeld(join(reached.path, name))));
  if (!held.includes(true)) return unlock;
  await unlock();
  throw new PipelineError('CONFIG_INVALID', lockAction(folder), 'another sandbox is using it', { next: IN_USE });
}

const LOCK_NAME = /^sandbox-[0-9a-f]{12}\.lock$/;
const IN_USE = 'Stop that sandbox, or give this one its own folder.';
const NO_LOCK = 'Give it a folder on a disk of this machine.';

function lockAction(folder: string): string {
  return `lock the data folder of the sandbox "${folder}"`;
}

/** Returns a path short enough for a socket; Linux has a short path for every open folder. */
async function reachFolder(folder: string): Promise<{ path: string; close: () => Promise<void> }> {
  const path = resolve(folder);
  if (Buffer.byteLength(path) <= LONGEST_PATH_BYTES) return { path, close: () => Promise.resolve() };
  const handle = await open(path, 'r');
  return { path: `/proc/self/fd/${handle.fd}`, close: () => handle.close() };
}

/** 103 bytes are safe on every system; the lock's name needs 26. */
const LONGEST_PATH_BYTES = 77;

function listenAt(path: string): Promise<Server> {
  return new Promise((done, fail) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', fail);
    server.listen(path, () => done(server.unref()));
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done());
  });
}

/** Returns whether a process listens, or may. Removes what a killed sandbox left. */
async function isHeld(path: string): Promise<boolean> {
  const fault = await tryToConnect(path);
  if (fault === 'ENOENT') return false;
  if (fault !== 'ECONNREFUSED') return true;
  await rm(path, { force: true });
  return false;
}

/** @returns the code of the failure, or undefined when a process answers */
function tryToConnect(path: string): Promise<string | undefined> {
  return new Promise((done) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      done(undefined);
    });
    socket.once('error', (error) => done(systemCode(error) ?? 'unknown'));
  });
}

/** A file that only grows, one line at a time. */
export type BookFile = {
  /**
   * Writes one line. It is on disk when the promise resolves, and removed when the promise rejects. If the removal
   * fails, the file takes no more lines.
   */
  append(line: string): Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens the file and passes on each of its lines in order. A kill in the middle of a line leaves it without its line
 * end. That tail is cut off: no caller was told of it, and the next line would be joined to it.
 *
 * Append one line at a time; a failure could cut two concurrent lines.
 */
export async function openBookFile(path: string, onLine: (line: string) => void): Promise<BookFile> {
  const file = await open(path, 'a', 0o600);
  let sizeBytes: number;
  try {
    await syncFolder(dirname(path));
    sizeBytes = await readLines(path, onLine);
    await file.truncate(sizeBytes);
  } catch (error) {
    await file.close();
    throw error;
  }
  let isBroken = false;

  async function append(line: string): Promise<void> {
    const bytes = Buffer.from(`${line}\n`);
    try {
      if (isBroken) throw new Error('an earlier line could neither be written nor removed');
      await file.appendFile(bytes);
      await file.datasync();
      sizeBytes += bytes.length;
    } catch (error) {
      isBroken = isBroken || !(await takesBack(file, sizeBytes));
      throw new PipelineError('DISK_FULL', `write the books of the sandbox in "${path}"`, reasonOf(error), {
        cause: error,
      });
    }
  }

  return { append, close: () => file.close() };
}

/** Returns the first line of a file, unless it is longer than some hundred bytes. */
export async function readStart(path: string): Promise<string | undefined> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SHORT_LINE_BYTES), 0, SHORT_LINE_BYTES, 0);
    const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
    return end < 0 ? undefined : buffer.toString('utf8', 0, end);
  } finally {
    await file.close();
  }
}

const SHORT_LINE_BYTES = 400;

/** For a sandbox that stores nothing. */
export const noBookFile: BookFile = { append: () => Promise.resolve(), close: () => Promise.resolve() };

/** @returns the number of bytes up to the last line end */
async function readLines(path: string, onLine: (line: string) => void): Promise<number> {
  let sizeBytes = 0;
  let pieces: Buffer[] = [];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      const line = Buffer.concat([...pieces, chunk.subarray(start, end)]);
      sizeBytes += line.length + 1;
      pieces = [];
      start = end + 1;
      onLine(line.toString('utf8'));
    }
    pieces.push(chunk.subarray(start));
  }
  return sizeBytes;
}

async function takesBack(file: FileHandle, sizeBytes: number): Promise<boolean> {
  try {
    await file.truncate(sizeBytes);
    await file.datasync();
    return true;
  } catch {
    return false;
  }
}

/** Name of the file in the books' folder. */
export const BOOK_FILE = 'books.jsonl';

/** Returns whether a file is missing or holds nothing. */
export async function isEmpty(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined || found.size === 0;
}

/**
 * Empties the books in a folder. Nothing of them is on disk when the promise resolves. The secret stays.
 * @param folder its books must not be open
 */
export async function emptyBooks(folder: string): Promise<void> {
  const file = await open(join(folder, BOOK_FILE), 'r+');
  try {
    await file.truncate(0);
    await file.sync();
  } finally {
    await file.close();
  }
}
