import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PipelineError, reasonOf } from '../../kernel/errors.ts';
import { syncFolder } from '../../kernel/folders.ts';

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
