import { type FileHandle, open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { makeFolders, syncFolder } from '../../kernel/folders.ts';
import { parseLine } from './parse-line.ts';

/** Bytes of one mark: the keyed fingerprint of a row (crypto/fingerprints/row-fingerprint.ts). */
export const MARK_BYTES = 8;

/** What the calls of a send journal held, row by row. */
export type SendMarks = {
  /** Returns once the marks of a call are on the disk. @throws PipelineError DISK_FULL or INTERNAL */
  append(call: string, marks: Buffer, at: Date): Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens the marks beside a send journal: a folder with a file for each month, a line for each call. Files can be removed
 * once nothing can bring their calls back, and the journal stays short, because every start reads it.
 *
 * Every line starts with a line break, as in the journal.
 */
export function openSendMarks(journal: string): SendMarks {
  let month: { name: string; file: Promise<FileHandle> } | undefined;
  const closeMonth = async () => {
    const last = month;
    month = undefined;
    await (await last?.file.catch(() => undefined))?.close();
  };
  return {
    append: async (call, marks, at) => {
      const name = monthOf(at);
      try {
        if (month?.name !== name) {
          await closeMonth();
          month = { name, file: openMonth(journal, name) };
        }
        const file = await month.file;
        await file.appendFile(`\n${JSON.stringify({ call, marks: marks.toString('base64') })}`);
        await file.datasync();
      } catch (error) {
        await closeMonth().catch(() => {});
        const code = systemCode(error) === 'ENOSPC' ? 'DISK_FULL' : 'INTERNAL';
        throw new PipelineError(code, 'write the marks of the send journal', undefined, { cause: error });
      }
    },
    close: closeMonth,
  };
}

async function openMonth(journal: string, name: string): Promise<FileHandle> {
  const folder = marksFolder(journal);
  await makeFolders(folder, 0o700);
  const file = await open(join(folder, name), 'a', 0o600);
  await syncFolder(folder);
  return file;
}

function marksFolder(journal: string): string {
  return `${journal}.marks`;
}

function monthOf(at: Date): string {
  return `${at.toISOString().slice(0, 7)}.jsonl`;
}

/** Returns the marks of these calls. A call without marks, or with a truncated line, is left out. */
export async function readMarks(journal: string, calls: ReadonlySet<string>): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  if (calls.size === 0) return found;
  for (const name of await listMonths(journal))
    for await (const { call, marks } of readMonth(join(marksFolder(journal), name)))
      if (calls.has(call)) found.set(call, Buffer.from(marks, 'base64'));
  return found;
}

/** Copies to each of two places the lines that only the other has. */
export async function matchMarks(one: string, other: string): Promise<void> {
  for (const name of new Set([...(await listMonths(one)), ...(await listMonths(other))])) {
    const [here, there] = [join(marksFolder(one), name), join(marksFolder(other), name)];
    // Two files with the same lines have the same size, whatever their order.
    if ((await sizeOf(here)) === (await sizeOf(there))) continue;
    await copyMissing({ from: here, journal: other, name });
    await copyMissing({ from: there, journal: one, name });
  }
}

async function copyMissing({ from, journal, name }: { from: string; journal: string; name: string }): Promise<void> {
  const known = new Set<string>();
  for await (const { call } of readMonth(join(marksFolder(journal), name))) known.add(call);
  const file = await openMonth(journal, name);
  try {
    for await (const line of readMonth(from))
      if (!known.has(line.call)) await file.appendFile(`\n${JSON.stringify(line)}`);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/**
 * Removes the marks of months that ended before a moment, by their name and by the time of their last change: a clock
 * that was wrong at either time must not remove them too early.
 */
export async function dropMarks(journal: string, before: Date): Promise<void> {
  for (const name of await listMonths(journal)) {
    const path = join(marksFolder(journal), name);
    const { mtime } = await stat(path);
    if (name < monthOf(before) && mtime < before) await unlink(path);
  }
}

async function listMonths(journal: string): Promise<string[]> {
  try {
    return (await readdir(marksFolder(journal))).filter((name) => /^\d{4}-\d{2}\.jsonl$/.test(name)).sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function* readMonth(path: string): AsyncGenerator<{ call: string; marks: string }> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return;
  try {
    for await (const line of file.readLines()) {
      const parsed = parseLine(line) as { call: string; marks: string } | undefined;
      if (parsed) yield parsed;
    }
  } finally {
    await file.close();
  }
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}
