import { randomUUID } from 'node:crypto';
import { fstatSync, readSync, statSync } from 'node:fs';
import { access, constants, open, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { crashPoint } from '../../kernel/crash-point.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { makeFolders, syncFolderNow } from '../../kernel/folders.ts';
import { openMirror } from './journal-mirror.ts';
import { parseLine } from './parse-line.ts';
import { openSendMarks } from './send-marks.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { Queryable } from '../engine/transaction.ts';

/** One intent to send, as the journal keeps it. */
export type JournalEntry = {
  at: string;
  account: string;
  /** Mark of the merchant that was called (merchant_address.mark). One that only a report of the service shows has none. */
  merchant?: string;
  fileId: string;
  batchNo: number;
  attempt: number;
  sha256: string;
  /** Id of the call. One that only a report of the service shows has none. */
  call?: string;
  /** The mark of all rows of the file, whatever their order and their batches (row-set.ts); absent where it is unknown. */
  rowSet?: string;
  /** The retired journal that held this entry first. */
  from?: string;
  /** Only in a second entry of a send: the service's answer, when the ledger could not record it at once. */
  answer?: { verdict: string; batchId?: string; reason?: string };
};

/** What a journal holds besides its sends; see admission/admit.ts. */
export type JournalNote =
  | { kind: 'begin'; at: string; journal: string; name: string }
  /** It reports to a closed ledger. A send that follows it but was declared for an older epoch does not leave. */
  | {
      kind: 'fence';
      at: string;
      ledger: string;
      epoch: number;
      closing: string;
      name: string;
      list: string[];
      knows: string[];
    }
  /** All calls of that journal were copied before this line. */
  | { kind: 'retired'; at: string; name: string; journal: string; epoch: number }
  /** The ledger knows answers to calls that are missing here: this is an older copy. */
  | { kind: 'older'; at: string };

export type Fence = Extract<JournalNote, { kind: 'fence' }>;

/** A journal's id and notes. */
export type JournalSelf = { id: string; notes: readonly JournalNote[]; hasSends: boolean };

export type SendJournal = {
  readonly path: string;
  append(entry: JournalEntry | JournalNote): Promise<void>;
  /** Keeps the marks of the rows of a call, which goes before its line. Both reach the mirror. */
  keepMarks(call: string, marks: Buffer, at: Date): Promise<void>;
  /**
   * Includes what other processes of this host have written meanwhile.
   * @param name of this host, used for a new journal
   */
  readSelf(name: string, clock: Clock): Promise<JournalSelf>;
  /** Returns whether a call must not leave: its line is missing, or follows a fence of a newer epoch. */
  isFenced(call: string, epoch: number): boolean;
  close(): Promise<void>;
};

/**
 * Opens the send journal: an append-only file next to the data, one line per attempt, on disk before the first byte
 * leaves. It is kept outside the database on purpose. When an older ledger backup is restored, the journal still knows
 * what was sent since.
 *
 * Every entry starts with a line break. So a line truncated by a crash or a full disk cannot swallow the next one, even
 * when two processes write.
 * @param options.isThere fails when the journal is missing, instead of creating it
 * @param options.mirror a second copy; each line is on its disk too before the first byte leaves
 */
export async function openSendJournal(
  path: string,
  { isThere = false, mirror: place }: { isThere?: boolean; mirror?: string | undefined } = {},
): Promise<SendJournal> {
  const folder = dirname(path);
  if (isThere) await access(path);
  else await makeFolders(folder, 0o700);
  const file = await open(path, 'a+', 0o600).catch((error: unknown) => {
    throw explain(error);
  });
  const mirror =
    place === undefined
      ? undefined
      : await openMirror(place, path).catch(async (error: unknown) => {
          await file.close();
          throw error;
        });
  try {
    // So that a power cut cannot lose a new journal with everything that was sent.
    for (const parent of [folder, dirname(folder)]) syncFolderNow(parent);
  } catch (error) {
    await file.close();
    throw error;
  }
  const marks = openSendMarks(path);
  /** Calls of this process whose lines are being written, each with the newest epoch read before it. */
  const pending = new Map<string, number | undefined>();
  const append = async (entry: JournalEntry | JournalNote) => {
    const call = 'kind' in entry || entry.answer || entry.from ? undefined : entry.call;
    if (call !== undefined) pending.set(call, undefined);
    const line = `\n${JSON.stringify(entry)}`;
    try {
      mustBeInPlace(path, file.fd);
      // First, so that attempts without the mirror leave nothing here.
      await mirror?.append(line);
      await file.appendFile(line);
      crashPoint('journal.written');
      await file.datasync();
      crashPoint('journal.synced');
    } catch (error) {
      pending.delete(call ?? '');
      if (error instanceof PipelineError) throw error;
      const code = systemCode(error) === 'ENOSPC' ? 'DISK_FULL' : 'INTERNAL';
      throw new PipelineError(code, 'write the send journal', undefined, { cause: error });
    }
  };
  /** Keyed by line, because the last line is read again. */
  const notes = new Map<string, JournalNote>();
  let hasSends = false;
  /** Start of the last line, which may still be incomplete. */
  let readTo = 0;
  let newestEpoch = 0;
  const take = (line: string) => {
    // Nearly all lines are sends, and only those in progress need parsing.
    if (hasSends && pending.size === 0 && !line.includes('"kind":')) return;
    const parsed = parseEntry(line);
    if (parsed === undefined) return;
    if ('kind' in parsed) {
      notes.set(line, parsed);
      if (parsed.kind === 'fence') newestEpoch = Math.max(newestEpoch, parsed.epoch);
      return;
    }
    hasSends = true;
    const { call = '' } = parsed;
    if (pending.has(call)) pending.set(call, pending.get(call) ?? newestEpoch);
  };
  const catchUp = () => {
    for (const { line, at } of readLines(file.fd, readTo)) {
      take(line);
      readTo = at;
    }
  };
  return {
    path,
    append,
    keepMarks: async (...call) => {
      const kept = await Promise.allSettled([mirror?.keepMarks(...call), marks.append(...call)]);
      for (const one of kept) if (one.status === 'rejected') throw one.reason;
    },
    readSelf: async (name, clock) => {
      catchUp();
      const beginning = () => [...notes.values()].find((note) => note.kind === 'begin');
      if (!beginning()) {
        await append({ kind: 'begin', at: clock.now().toISOString(), journal: randomUUID(), name });
        catchUp();
      }
      // When two processes begin the journal at once, the first line names it.
      return { id: beginning()!.journal, notes: [...notes.values()], hasSends };
    },
    isFenced: (call, epoch) => {
      catchUp();
      const before = pending.get(call);
      pending.delete(call);
      return before === undefined || before > epoch;
    },
    close: async () => {
      await file.close();
      await marks.close();
      await mirror?.close();
    },
  };
}

/** A journal that was replaced under a running process would lose every line that the process adds. */
function mustBeInPlace(path: string, fd: number): void {
  const [there, open] = [statSync(path, { throwIfNoEntry: false }), fstatSync(fd)];
  if (there?.ino === open.ino && there.dev === open.dev) return;
  const next = 'Stop paydrop. If the data folder was put back or moved, start it again.';
  throw new PipelineError('INTERNAL', 'write the send journal', 'another file is in its place', { next });
}

/** Explains EISDIR: a folder is in the place of the journal. */
function explain(error: unknown): unknown {
  if (systemCode(error) !== 'EISDIR') return error;
  const next = 'Move it away, and restore the journal of this installation if there was one.';
  return new PipelineError('INTERNAL', 'use the send journal', NO_FILE, { next });
}

/** Bytes read at a time. */
const PIECE = 65_536;

/** Yields the lines from an offset on, each with the offset of its line break. Reads synchronously (README of src). */
function* readLines(fd: number, from: number): Generator<{ line: string; at: number }> {
  const { size } = fstatSync(fd);
  const piece = Buffer.alloc(Math.min(PIECE, Math.max(0, size - from)));
  let rest: Buffer = Buffer.alloc(0);
  let restAt = from;
  for (let at = from; at < size; ) {
    const bytesRead = readSync(fd, piece, 0, Math.min(piece.length, size - at), at);
    if (bytesRead === 0) break;
    at += bytesRead;
    let bytes = Buffer.concat([rest, piece.subarray(0, bytesRead)]);
    for (let end = bytes.indexOf(LINE_END, 1); end > 0; end = bytes.indexOf(LINE_END, 1)) {
      yield { line: bytes.toString('utf8', 0, end).trim(), at: restAt };
      restAt += end;
      bytes = bytes.subarray(end);
    }
    rest = Buffer.from(bytes);
  }
  if (rest.length > 0) yield { line: rest.toString('utf8').trim(), at: restAt };
}

const LINE_END = 0x0a;

/** Entries compared with the ledger at a time. */
const SLICE = 10_000;

/**
 * Returns every attempt that the journal knows and the ledger does not. Such a ledger is older, like a restored backup,
 * and would charge twice. Attempts that were already recalled (recall-batch.ts) count as known.
 */
export async function findForgottenSends(ledger: Ledger, path: string): Promise<JournalEntry[]> {
  const forgotten: JournalEntry[] = [];
  let slice: JournalEntry[] = [];
  for await (const entry of readJournal(path)) {
    slice.push(entry);
    if (slice.length < SLICE) continue;
    forgotten.push(...(await findMissing(ledger.pool, slice)));
    slice = [];
  }
  return [...forgotten, ...(await findMissing(ledger.pool, slice))];
}

/** Returns the sends that the ledger does not know. */
export async function findMissing(client: Queryable, entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
  const { rows } = await client.query<{ n: number }>('SELECT n FROM unknown_sends($1, $2, $3, $4) n ORDER BY n', [
    entries.map((entry) => entry.fileId),
    entries.map((entry) => entry.batchNo),
    entries.map((entry) => entry.attempt),
    entries.map((entry) => entry.call ?? null),
  ]);
  return rows.map(({ n }) => entries[n - 1]!);
}

/** Reads line by line: the journal is kept forever and outgrows the longest possible string. */
export async function* readJournal(path: string): AsyncGenerator<JournalEntry> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return;
  try {
    for await (const line of file.readLines()) {
      const entry = parseEntry(line);
      // The entry of a send comes before its answers.
      if (entry && !('kind' in entry) && !entry.answer) yield entry;
    }
  } catch (error) {
    throw explain(error);
  } finally {
    await file.close();
  }
}

/** Skips a truncated line. Its attempt never began, because the first byte waits for the whole line. */
function parseEntry(line: string): JournalEntry | JournalNote | undefined {
  return parseLine(line) as JournalEntry | JournalNote | undefined;
}

/** Room for thousands of entries. With less, an intent might not fit, and nothing could be sent. */
const LEAST_FREE_BYTES = 1_048_576;

/** For example a folder, when a setting is mistyped. */
const NO_FILE = 'its path is not a file';

/**
 * Returns briefly, without the path, why the send journal cannot take an entry; undefined when it can. It writes
 * nothing, because the journal must hold only real entries.
 */
export async function findJournalTrouble(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
    if (!(await stat(path)).isFile()) return `${NO_FILE}; move it away`;
    const { bavail, bsize } = await statfs(dirname(path));
    return bavail * bsize < LEAST_FREE_BYTES ? 'the disk is full' : undefined;
  } catch (error) {
    const code = systemCode(error) ?? 'unforeseen error';
    return code === 'ENOENT' ? 'it is missing' : `it cannot be written (${code})`;
  }
}
