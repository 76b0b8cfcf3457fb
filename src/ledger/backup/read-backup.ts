import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import {
  type BackupEnd,
  type BackupHead,
  type BackupSummary,
  type BackupTable,
  countRows,
  FRAME_HEAD_BYTES,
  LONGEST_FRAME_BYTES,
  MARK,
  summaryOf,
  type TableSum,
} from './write-backup.ts';

/** Callbacks for the parts of a backup; a part without a callback is only verified. */
export type BackupReader = {
  head?(head: BackupHead): Promise<void>;
  /** Must read all rows. They are verified only once `readBackup` has returned. */
  table?(table: BackupTable, rows: AsyncIterable<Buffer>): Promise<void>;
};

/**
 * Reads a whole backup in little memory and verifies every hash, count and mark.
 * @throws PipelineError BACKUP_BROKEN when a byte was altered, cut off or added, BACKUP_NEWER, NOT_FOUND
 */
export async function readBackup(path: string, reader: BackupReader = {}): Promise<BackupSummary> {
  const file = await openBackup(path);
  try {
    const take: TakeBytes = async (into, from) => (await file.read(into, from, into.length - from, null)).bytesRead;
    return await readFrames(take, path, reader);
  } finally {
    await file.close();
  }
}

/** Fills a buffer from an offset on, as far as bytes are at hand; returns how many, 0 at the end. */
type TakeBytes = (into: Buffer, from: number) => Promise<number>;

/** Does the same with bytes that come as a stream, such as those of a sealed archive. */
export async function readStreamed(
  pieces: AsyncIterable<Uint8Array>,
  path: string,
  reader: BackupReader = {},
): Promise<BackupSummary> {
  const source = pieces[Symbol.asyncIterator]();
  let rest: Uint8Array = Buffer.alloc(0);
  const take: TakeBytes = async (into, from) => {
    for (let step; rest.length === 0; rest = step.value) {
      step = await source.next();
      if (step.done) return 0;
    }
    const piece = rest.subarray(0, into.length - from);
    into.set(piece, from);
    rest = rest.subarray(piece.length);
    return piece.length;
  };
  try {
    return await readFrames(take, path, reader);
  } finally {
    await source.return?.();
  }
}

async function readFrames(take: TakeBytes, path: string, reader: BackupReader): Promise<BackupSummary> {
  const source = frameReader(take, path);
  await source.mark();
  const head = await readHead(source, path);
  await reader.head?.(head);
  const sums: (TableSum & { table: string })[] = [];
  for (;;) {
    const whole = source.soFar();
    const frame = await source.frame();
    if (frame.kind === 'E') return finish(source, summaryOf(head, sums, whole), frame.bytes, path);
    if (frame.kind !== 'T') throw broken(path, 'a table is missing');
    const table = parse(frame.bytes, path) as BackupTable;
    if (table.table !== head.tables[sums.length] || !isListOfTexts(table.columns))
      throw broken(path, 'its tables differ from its header');
    sums.push({ table: table.table, ...(await readTable(source, table, reader, path)) });
  }
}

/** What a master key wraps in a backup: the keys of so many files, and keys of these names that outlive a file. */
export type KeyNeed = { id: string; files: number; others: string[] };

/** Returns a reader of tables for `readBackup`, and the master keys that what it has read needs. */
export function readKeyNeeds(): Required<Pick<BackupReader, 'table'>> & { needs(): KeyNeed[] } {
  const needs = new Map<string, KeyNeed>();
  return {
    table: async ({ columns }, rows) => {
      const [ofFile, ofOther] = [columns.indexOf('wrapped_key'), columns.indexOf('wrapped')];
      if (ofFile === -1 && ofOther === -1) for await (const _ of rows);
      else
        for await (const line of linesOf(rows)) {
          const cells = line.split('\t');
          const id = WRAPPED_BY.exec(cells[Math.max(ofFile, ofOther)]!)?.[1];
          if (id === undefined) continue;
          const need = needs.get(id) ?? { id, files: 0, others: [] };
          needs.set(id, need);
          if (ofFile === -1) need.others.push(cells[columns.indexOf('name')]!);
          else need.files += 1;
        }
    },
    needs: () => [...needs.values()].toSorted((one, other) => one.id.localeCompare(other.id)),
  };
}

/** The text of a wrapped key: four bytes of its mark, then those that name its master key, as `wrapped_by` reads them. */
const WRAPPED_BY = /^\\\\x[0-9a-f]{8}([0-9a-f]{8})/;

/** Every row ends with its only line feed. No character of a row is cut: a frame may end within one, a line never. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      const tail = chunk.subarray(from, end);
      yield (rest.length === 0 ? tail : Buffer.concat([...rest, tail])).toString('utf8');
      rest = [];
      from = end + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
}

async function openBackup(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    const action = `read the backup "${path}"`;
    const next = 'Check its name and your permissions on it.';
    throw new PipelineError('NOT_FOUND', action, `it cannot be opened (${systemCode(error)})`, { next });
  }
}

async function readHead(source: FrameReader, path: string): Promise<BackupHead> {
  const { kind, bytes } = await source.frame();
  if (kind !== 'H') throw broken(path, 'it has no header');
  const head = parse(bytes, path) as BackupHead;
  if (head.format === 1) {
    if (isListOfTexts(head.migrations) && isListOfTexts(head.tables)) return head;
    throw broken(path, 'its header does not list its content');
  }
  const next = 'Use the version of paydrop that made it, or a newer one.';
  throw new PipelineError('BACKUP_NEWER', `read the backup "${path}"`, 'its format is unknown', { next });
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

async function readTable(
  source: FrameReader,
  table: BackupTable,
  reader: BackupReader,
  path: string,
): Promise<TableSum> {
  const hash = createHash('sha256');
  const sum = { rows: 0, bytes: 0 };
  let said: TableSum | undefined;
  async function* rows(): AsyncGenerator<Buffer> {
    for (;;) {
      const { kind, bytes } = await source.frame();
      if (kind === 'S') {
        said = parse(bytes, path) as TableSum;
        return;
      }
      if (kind !== 'D') throw broken(path, `the rows of ${table.table} are incomplete`);
      hash.update(bytes);
      sum.rows += countRows(bytes);
      sum.bytes += bytes.length;
      yield bytes;
    }
  }
  if (reader.table) await reader.table(table, rows());
  else for await (const _ of rows());
  const found = { ...sum, sha256: hash.digest('hex') };
  if (said && said.rows === found.rows && said.bytes === found.bytes && said.sha256 === found.sha256) return found;
  throw broken(path, `the rows of ${table.table} were changed`);
}

async function finish(
  source: FrameReader,
  summary: BackupSummary,
  bytes: Buffer,
  path: string,
): Promise<BackupSummary> {
  const end = parse(bytes, path) as BackupEnd;
  const isWhole = end.sha256 === summary.sha256 && end.tables === summary.tables.length && end.rows === summary.rows;
  if (!isWhole) throw broken(path, 'its parts differ from the written ones');
  if (!(await source.isAtEnd())) throw broken(path, 'it has data after its end');
  return summary;
}

type FrameReader = ReturnType<typeof frameReader>;

function frameReader(takeBytes: TakeBytes, path: string) {
  const hash: Hash = createHash('sha256');
  let taken = 0;
  const take = async (count: number): Promise<Buffer> => {
    const bytes = Buffer.alloc(count);
    for (let have = 0; have < count; ) {
      const read = await takeBytes(bytes, have);
      if (read === 0) throw broken(path, 'it was cut off');
      have += read;
    }
    hash.update(bytes);
    taken += count;
    return bytes;
  };
  return {
    mark: async (): Promise<void> => {
      const mark = await take(MARK.length);
      if (!mark.equals(MARK)) throw broken(path, 'it is not a backup of paydrop');
    },
    frame: async (): Promise<{ kind: string; bytes: Buffer }> => {
      const head = await take(FRAME_HEAD_BYTES);
      const length = head.readUInt32BE(1);
      if (length > LONGEST_FRAME_BYTES) throw broken(path, 'it contains an invalid length');
      return { kind: head.toString('latin1', 0, 1), bytes: await take(length) };
    },
    soFar: () => ({ bytes: taken, sha256: hash.copy().digest('hex') }),
    isAtEnd: async (): Promise<boolean> => (await takeBytes(Buffer.alloc(1), 0)) === 0,
  };
}

function parse(bytes: Buffer, path: string): object {
  const entry = parsed(bytes);
  if (typeof entry !== 'object' || entry === null) throw broken(path, 'it contains an unreadable entry');
  return entry;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function broken(path: string, reason: string): PipelineError {
  return new PipelineError('BACKUP_BROKEN', `use the backup "${path}"`, reason);
}
