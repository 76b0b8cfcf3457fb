import { makeFolders } from '../kernel/make-folders.ts';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crashPoint } from '../kernel/crash-point.ts';
import { PipelineError, systemCode } from '../kernel/errors.ts';
import { NO_FILE } from './find-journal-trouble.ts';
import type { Ledger } from './open-ledger.ts';

/** One intent to send, as the journal keeps it. */
export type JournalEntry = {
  at: string;
  account: string;
  fileId: string;
  batchNo: number;
  attempt: number;
  sha256: string;
  /** Only in a second entry of a send: what the service said, when the ledger could not take it at once. */
  answer?: { verdict: string; batchId?: string; reason?: string };
};

export type SendJournal = { append(entry: JournalEntry): Promise<void>; close(): Promise<void> };

/**
 * The send journal: an append-only file beside the data, one line per attempt, on disk before the first byte leaves.
 * It is kept outside the database on purpose: when an older backup of the ledger is restored, the journal still knows
 * what was sent since (F76).
 *
 * Every entry brings the line end before it. So a line that a crash or a full disk cut short cannot swallow the next
 * one, also when two processes write.
 */
export async function openSendJournal(path: string): Promise<SendJournal> {
  const folder = dirname(path);
  await makeFolders(folder, 0o700);
  const file = await open(path, 'a', 0o600).catch((error: unknown) => {
    throw explain(error);
  });
  try {
    await Promise.all([syncFolder(folder), syncFolder(dirname(folder))]);
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    append: async (entry) => {
      try {
        await file.appendFile(`\n${JSON.stringify(entry)}`);
        crashPoint('journal.written');
        await file.datasync();
        crashPoint('journal.synced');
      } catch (error) {
        const code = systemCode(error) === 'ENOSPC' ? 'DISK_FULL' : 'INTERNAL';
        throw new PipelineError(code, 'write the send journal', undefined, { cause: error });
      }
    },
    close: () => file.close(),
  };
}

/** The system says of a folder in the place of the journal only that it was the wrong operation. */
function explain(error: unknown): unknown {
  if (systemCode(error) !== 'EISDIR') return error;
  const next = 'Move it away, and put the journal of this installation back if there was one.';
  return new PipelineError('INTERNAL', 'use the send journal', NO_FILE, { next });
}

/** A new journal must not lose its name in a power cut: then what was sent would be forgotten as a whole. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Entries compared with the ledger at a time. */
const SLICE = 10_000;

/**
 * Every attempt that the journal knows and the ledger does not: the ledger is older than what was sent (a restored
 * backup), so sending again from its state would charge twice. Those that were dealt with (recall-batch.ts) are known.
 */
export async function findForgottenSends(ledger: Ledger, path: string): Promise<JournalEntry[]> {
  const forgotten: JournalEntry[] = [];
  let slice: JournalEntry[] = [];
  for await (const entry of readJournal(path)) {
    slice.push(entry);
    if (slice.length < SLICE) continue;
    forgotten.push(...(await findMissing(ledger, slice)));
    slice = [];
  }
  return [...forgotten, ...(await findMissing(ledger, slice))];
}

/**
 * Of the end of the journal, which is some fifty entries. Whoever sends looks first, so an older ledger is found out by the
 * first that sends after it was put in place; the sends that others were about then are far fewer.
 */
const TAIL_BYTES = 8_192;

/**
 * Whether the ledger does not know the last sends of the journal. A copy of the ledger knows everything up to its moment,
 * so the end of the journal tells, however long it is; this may be asked before every send.
 */
export async function isJournalAhead(ledger: Ledger, path: string): Promise<boolean> {
  return (await findMissing(ledger, readLastEntries(path))).length > 0;
}

/** By calls that return at once (README of src): to wake another thread takes longer. */
function readLastEntries(path: string): JournalEntry[] {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const bytesRead = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    // The first line is cut unless the journal is short, and cannot be read then.
    const lines = bytes.toString('utf8', 0, bytesRead).split('\n');
    return lines.flatMap((line) => readSend(line) ?? []);
  } catch (error) {
    throw explain(error);
  } finally {
    closeSync(file);
  }
}

async function findMissing(ledger: Ledger, entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
  const { rows } = await ledger.pool.query<{ n: number }>('SELECT n FROM unknown_sends($1, $2, $3) n ORDER BY n', [
    entries.map((entry) => entry.fileId),
    entries.map((entry) => entry.batchNo),
    entries.map((entry) => entry.attempt),
  ]);
  return rows.map(({ n }) => entries[n - 1]!);
}

/** Line by line: the journal is kept for ever and outgrows what a text may hold. */
async function* readJournal(path: string): AsyncGenerator<JournalEntry> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return;
  try {
    for await (const line of file.readLines()) {
      const entry = readSend(line);
      if (entry) yield entry;
    }
  } catch (error) {
    throw explain(error);
  } finally {
    await file.close();
  }
}

/** An answer that was kept here belongs to a send whose own entry stands before it. */
function readSend(line: string): JournalEntry | undefined {
  const entry = parseEntry(line);
  return entry?.answer ? undefined : entry;
}

/** A torn line belongs to an attempt that never began: its first byte had to wait for the whole line. */
function parseEntry(line: string): JournalEntry | undefined {
  if (line === '') return undefined;
  try {
    return JSON.parse(line) as JournalEntry;
  } catch {
    return undefined;
  }
}
