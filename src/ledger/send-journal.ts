import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PipelineError, systemCode } from '../kernel/errors.ts';
import type { Ledger } from './open-ledger.ts';

/** One intent to send, as the journal keeps it. */
export type JournalEntry = {
  at: string;
  account: string;
  fileId: string;
  batchNo: number;
  attempt: number;
  sha256: string;
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
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = await open(path, 'a', 0o600);
  await Promise.all([syncFolder(folder), syncFolder(dirname(folder))]);
  return {
    append: async (entry) => {
      try {
        await file.appendFile(`\n${JSON.stringify(entry)}`);
        await file.datasync();
      } catch (error) {
        const code = systemCode(error) === 'ENOSPC' ? 'DISK_FULL' : 'INTERNAL';
        throw new PipelineError(code, 'write the send journal', undefined, { cause: error });
      }
    },
    close: () => file.close(),
  };
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
 * backup), so sending again from its state would charge twice.
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

async function findMissing(ledger: Ledger, entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
  const { rows } = await ledger.pool.query<{ n: number }>(
    `SELECT n::int FROM unnest($1::text[], $2::int[], $3::int[]) WITH ORDINALITY AS j (file_id, batch_no, attempt, n)
     WHERE NOT EXISTS (SELECT 1 FROM attempt a
       WHERE a.file_id = j.file_id AND a.batch_no = j.batch_no AND a.attempt = j.attempt)
     ORDER BY n`,
    [
      entries.map((entry) => entry.fileId),
      entries.map((entry) => entry.batchNo),
      entries.map((entry) => entry.attempt),
    ],
  );
  return rows.map(({ n }) => entries[n - 1]!);
}

/** Line by line: the journal is kept for ever and outgrows what a text may hold. */
async function* readJournal(path: string): AsyncGenerator<JournalEntry> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return;
  for await (const line of file.readLines()) {
    const entry = parseEntry(line);
    if (entry) yield entry;
  }
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
