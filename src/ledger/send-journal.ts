import { mkdir, open, readFile } from 'node:fs/promises';
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
 */
export async function openSendJournal(path: string): Promise<SendJournal> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'a', 0o600);
  await endTornLine(path, file);
  return {
    append: async (entry) => {
      try {
        await file.appendFile(`${JSON.stringify(entry)}\n`);
        await file.datasync();
      } catch (error) {
        const code = systemCode(error) === 'ENOSPC' ? 'DISK_FULL' : 'INTERNAL';
        throw new PipelineError(code, 'write the send journal', undefined, { cause: error });
      }
    },
    close: () => file.close(),
  };
}

/** A line that a crash cut short must not swallow the next one. */
async function endTornLine(path: string, file: { appendFile(text: string): Promise<void> }): Promise<void> {
  const text = await readFile(path, 'utf8');
  if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n');
}

/**
 * Every account of which the journal knows an attempt that the ledger does not: the ledger is older than what was sent
 * (a restored backup), so sending again from its state would charge twice.
 */
export async function findForgottenSends(ledger: Ledger, path: string): Promise<JournalEntry[]> {
  const entries = await readJournal(path);
  const forgotten: JournalEntry[] = [];
  for (let start = 0; start < entries.length; start += 10_000) {
    const slice = entries.slice(start, start + 10_000);
    const { rows } = await ledger.pool.query<{ n: number }>(
      `SELECT n::int FROM unnest($1::text[], $2::int[], $3::int[]) WITH ORDINALITY AS j (file_id, batch_no, attempt, n)
       WHERE NOT EXISTS (SELECT 1 FROM attempt a
         WHERE a.file_id = j.file_id AND a.batch_no = j.batch_no AND a.attempt = j.attempt)`,
      [slice.map((e) => e.fileId), slice.map((e) => e.batchNo), slice.map((e) => e.attempt)],
    );
    for (const { n } of rows) forgotten.push(slice[n - 1]!);
  }
  return forgotten;
}

async function readJournal(path: string): Promise<JournalEntry[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => {
    const entry = parseEntry(line);
    return entry ? [entry] : [];
  });
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
