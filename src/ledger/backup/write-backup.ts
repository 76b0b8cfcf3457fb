import { createHash, randomBytes } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { PoolClient } from 'pg';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { syncFolder } from '../../kernel/folders.ts';
import { copyPieces } from '../copy/copy-out.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { inVersionOrder } from '../engine/schema.ts';

/**
 * Writes a snapshot of the whole ledger into one new file (0600), while other processes keep working. Once this
 * returns, the complete file is on disk under its name; a crash leaves nothing under that name. Memory use does not
 * grow with the ledger.
 *
 * The backup omits the tables of the queue, which is rebuilt from the ledger. It also omits the send journal: an older
 * journal put in place of the current one would forget what was sent since.
 * @param look queries the same snapshot
 * @throws PipelineError OUTPUT_EXISTS when the file exists, DISK_FULL, FOLDER_MISSING, FOLDER_NOT_WRITABLE
 */
export async function writeBackup(ledger: Ledger, path: string, look?: Look): Promise<BackupSummary> {
  await mustBeNew(path);
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.part`);
  try {
    const summary = await writeDraft(ledger, draft, look);
    await rename(draft, path);
    await syncFolder(dirname(path));
    return summary;
  } catch (error) {
    throw explain(error, path);
  } finally {
    await rm(draft, { force: true });
  }
}

type Look = (client: PoolClient) => Promise<void>;

async function mustBeNew(path: string): Promise<void> {
  if (!(await stat(path).catch(() => undefined))) return;
  const next = 'Give it another name; a backup is never overwritten.';
  throw new PipelineError('OUTPUT_EXISTS', `write the backup "${path}"`, 'a file with that name exists', { next });
}

async function writeDraft(ledger: Ledger, draft: string, look?: Look): Promise<BackupSummary> {
  const file = await open(draft, 'wx', 0o600);
  try {
    const summary = await inSnapshot(ledger, async (client) => {
      await look?.(client);
      const tables = (await readTables(client)).map((table) => ({ ...table, copies: [copyOf(table)] }));
      const frames = copyFrames(client, tables, ledger.clock.now());
      for (;;) {
        const step = await frames.next();
        if (step.done) return step.value;
        // A write may take only part of the bytes, for example when the disk fills up.
        for (let rest = step.value; rest.length > 0; ) rest = rest.subarray((await file.write(rest)).bytesWritten);
      }
    });
    await file.sync();
    return summary;
  } finally {
    await file.close();
  }
}

function copyOf({ table, columns }: BackupTable): string {
  return `COPY "${table}" (${columns.map((name) => `"${name}"`).join(', ')}) TO STDOUT`;
}

/** Runs `work` in one snapshot of all tables. It includes a file taken in meanwhile completely or not at all. */
export async function inSnapshot<Result>(
  ledger: Ledger,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await ledger.locks.connect();
  let isWhole = false;
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const result = await work(client);
    await client.query('COMMIT');
    isWhole = true;
    return result;
  } finally {
    // A connection interrupted during a COPY is unusable.
    client.release(!isWhole);
  }
}

/** A table, and the COPY statements in text format whose rows it has, one after the other. */
export type CopiedTable = BackupTable & { copies: readonly string[] };

/** Yields the bytes of a backup of these tables and returns its summary. */
export async function* copyFrames(
  client: PoolClient,
  tables: readonly CopiedTable[],
  at: Date,
): AsyncGenerator<Buffer, BackupSummary> {
  const maker = frameMaker();
  yield maker.mark();
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migration');
  const head: BackupHead = {
    format: 1,
    madeAt: at.toISOString(),
    migrations: inVersionOrder(rows.map((row) => row.name)),
    tables: tables.map(({ table }) => table),
  };
  yield maker.say('H', head);
  const sums: (TableSum & { table: string })[] = [];
  for (const table of tables) sums.push({ table: table.table, ...(yield* tableFrames(client, maker, table)) });
  const whole = maker.soFar();
  const summary = summaryOf(head, sums, whole);
  yield maker.say('E', { tables: sums.length, rows: summary.rows, sha256: whole.sha256 } satisfies BackupEnd);
  return summary;
}

async function* tableFrames(
  client: PoolClient,
  maker: FrameMaker,
  { copies, ...table }: CopiedTable,
): AsyncGenerator<Buffer, TableSum> {
  yield maker.say('T', table);
  const hash = createHash('sha256');
  const sum = { rows: 0, bytes: 0 };
  for (const copy of copies) {
    for await (const chunk of copyPieces(client, copy)) {
      hash.update(chunk);
      sum.rows += countRows(chunk);
      sum.bytes += chunk.length;
      for (let rest = chunk; rest.length > 0; rest = rest.subarray(LONGEST_FRAME_BYTES))
        yield maker.frame('D', rest.subarray(0, LONGEST_FRAME_BYTES));
    }
  }
  const whole = { ...sum, sha256: hash.digest('hex') };
  yield maker.say('S', whole);
  return whole;
}

type FrameMaker = ReturnType<typeof frameMaker>;

function frameMaker() {
  const hash = createHash('sha256');
  let made = 0;
  const add = (bytes: Buffer): Buffer => {
    hash.update(bytes);
    made += bytes.length;
    return bytes;
  };
  const frame = (kind: FrameKind, bytes: Buffer) => add(Buffer.concat([frameHead(kind, bytes.length), bytes]));
  return {
    mark: () => add(MARK),
    frame,
    say: (kind: FrameKind, content: object) => frame(kind, Buffer.from(JSON.stringify(content))),
    soFar: () => ({ bytes: made, sha256: hash.copy().digest('hex') }),
  };
}

function explain(error: unknown, path: string): unknown {
  const code = systemCode(error);
  const action = `write the backup "${path}"`;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new PipelineError('DISK_FULL', action, undefined, { next: 'Free some space, or write it elsewhere.' });
  if (code === 'ENOENT') return new PipelineError('FOLDER_MISSING', action, undefined, { next: 'Make the folder.' });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new PipelineError('FOLDER_NOT_WRITABLE', action, undefined, { cause: error });
  return error;
}

/**
 * Format of a backup file: a mark of 8 bytes, then frames. A frame is a letter (1 byte), a length (4 bytes, big-endian)
 * and that many bytes. All but the rows are JSON. Frames are small, so reading a file of any size takes little memory.
 *
 * `H` is the head, `T` starts a table, and `D` holds rows in the text format of COPY. `S` holds what the rows must add
 * up to, and `E` is the end. A file without its end was truncated.
 */
export const MARK = Buffer.from('PAYDROP1');
export const FRAME_HEAD_BYTES = 5;

/** Longest frame. A longer length is corrupt, and must not decide how much memory to allocate. */
export const LONGEST_FRAME_BYTES = 1_048_576;

type FrameKind = 'H' | 'T' | 'D' | 'S' | 'E';

/** What the backup contains. `migrations` names the migrations of the ledger; the last is its version. */
export type BackupHead = { format: 1; madeAt: string; migrations: string[]; tables: string[] };

export type BackupTable = { table: string; columns: string[] };

export type TableSum = { rows: number; bytes: number; sha256: string };

/** `sha256` covers every byte of the file before this frame. */
export type BackupEnd = { tables: number; rows: number; sha256: string };

/** Summary of a complete backup. */
export type BackupSummary = {
  madeAt: string;
  migration: string;
  tables: (TableSum & { table: string })[];
  rows: number;
  bytes: number;
  sha256: string;
};

export function frameHead(kind: FrameKind, bytes: number): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.write(kind, 0, 'latin1');
  head.writeUInt32BE(bytes, 1);
  return head;
}

/** Counts rows. In text format, every row ends with its only line feed. */
export function countRows(chunk: Buffer): number {
  let rows = 0;
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows += 1;
  return rows;
}

export function summaryOf(
  head: BackupHead,
  tables: readonly (TableSum & { table: string })[],
  whole: { bytes: number; sha256: string },
): BackupSummary {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return { madeAt: head.madeAt, migration: head.migrations.at(-1) ?? '', tables: [...tables], rows, ...whole };
}

/**
 * Returns every table of the ledger with its columns. A table follows those it references, so that tables filled in
 * this order pass the reference checks.
 */
export async function readTables(client: PoolClient): Promise<BackupTable[]> {
  const { rows } = await client.query<BackupTable & { refers: string[] }>(
    `SELECT c.relname::text AS table,
            ARRAY(SELECT a.attname::text FROM pg_attribute a
                  WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
                  ORDER BY a.attnum) AS columns,
            ARRAY(SELECT DISTINCT r.relname::text FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid
                  WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid) AS refers
     FROM pg_class c WHERE c.relnamespace = 'paydrop'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY c.relname`,
  );
  const ordered: BackupTable[] = [];
  const isPlaced = (name: string) => ordered.some(({ table }) => table === name);
  while (ordered.length < rows.length) {
    const next = rows.filter(({ table, refers }) => !isPlaced(table) && refers.every(isPlaced));
    // A cycle of references would loop forever.
    if (next.length === 0) throw new Error('tables of the ledger refer to each other in a circle');
    ordered.push(...next.map(({ table, columns }) => ({ table, columns })));
  }
  return ordered;
}

/** Number of rows, and a sum over the hash of each. */
export type TableContent = { table: string; rows: number; sum: string };

export async function sumTables(client: PoolClient): Promise<TableContent[]> {
  const sums: TableContent[] = [];
  for (const { table, columns } of await readTables(client)) {
    const row = `ROW(${columns.map((name) => `"${name}"`).join(', ')})`;
    const { rows } = await client.query<Omit<TableContent, 'table'>>(
      `SELECT count(*)::int AS rows, coalesce(sum(('x' || left(md5(${row}::text), 15))::bit(60)::bigint), 0)::text AS sum
       FROM "${table}"`,
    );
    sums.push({ table, ...rows[0]! });
  }
  return sums;
}
