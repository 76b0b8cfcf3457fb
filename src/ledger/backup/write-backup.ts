import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { PoolClient } from 'pg';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { copyPieces } from '../copy/copy-out.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import {
  type BackupEnd,
  type BackupHead,
  type BackupSummary,
  type BackupTable,
  countRows,
  frameHead,
  type FrameKind,
  LONGEST_FRAME_BYTES,
  MARK,
  summaryOf,
  type TableSum,
} from './backup-frame.ts';
import { readTables } from './read-tables.ts';

/**
 * Writes a snapshot of the whole ledger into one new file (0600), while other processes keep working. Once this
 * returns, the complete file is on disk under its name; a crash leaves nothing under that name. Memory use does not
 * grow with the ledger.
 *
 * The backup omits the tables of the queue, which is rebuilt from the ledger. It also omits the send journal: an older
 * journal put in place of the current one would forget what was sent since.
 * @throws PipelineError OUTPUT_EXISTS when the file exists, DISK_FULL, FOLDER_MISSING, FOLDER_NOT_WRITABLE
 */
export async function writeBackup(ledger: Ledger, path: string): Promise<BackupSummary> {
  await mustBeNew(path);
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.part`);
  try {
    const summary = await writeDraft(ledger, draft);
    await rename(draft, path);
    await syncFolder(dirname(path));
    return summary;
  } catch (error) {
    throw explain(error, path);
  } finally {
    await rm(draft, { force: true });
  }
}

async function mustBeNew(path: string): Promise<void> {
  if (!(await stat(path).catch(() => undefined))) return;
  const next = 'Give it another name; a backup is never overwritten.';
  throw new PipelineError('OUTPUT_EXISTS', `write the backup "${path}"`, 'there is a file of that name', { next });
}

async function writeDraft(ledger: Ledger, draft: string): Promise<BackupSummary> {
  const file = await open(draft, 'wx', 0o600);
  try {
    const summary = await inSnapshot(ledger, (client) => writeAll(client, file, ledger.clock.now()));
    await file.sync();
    return summary;
  } finally {
    await file.close();
  }
}

/** Runs `work` in one snapshot of all tables. It includes a file taken in meanwhile completely or not at all. */
async function inSnapshot<Result>(ledger: Ledger, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await ledger.pool.connect();
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

async function writeAll(client: PoolClient, file: FileHandle, at: Date): Promise<BackupSummary> {
  const writer = frameWriter(file);
  await writer.mark();
  const tables = await readTables(client);
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migration ORDER BY name');
  const head: BackupHead = {
    format: 1,
    madeAt: at.toISOString(),
    migrations: rows.map((row) => row.name),
    tables: tables.map(({ table }) => table),
  };
  await writer.say('H', head);
  const sums: (TableSum & { table: string })[] = [];
  for (const table of tables) sums.push({ table: table.table, ...(await writeTable(client, writer, table)) });
  const whole = writer.soFar();
  const summary = summaryOf(head, sums, whole);
  await writer.say('E', { tables: sums.length, rows: summary.rows, sha256: whole.sha256 } satisfies BackupEnd);
  return summary;
}

async function writeTable(client: PoolClient, writer: FrameWriter, table: BackupTable): Promise<TableSum> {
  await writer.say('T', table);
  const hash = createHash('sha256');
  const sum = { rows: 0, bytes: 0 };
  const columns = table.columns.map((name) => `"${name}"`).join(', ');
  for await (const chunk of copyPieces(client, `COPY "${table.table}" (${columns}) TO STDOUT`)) {
    hash.update(chunk);
    sum.rows += countRows(chunk);
    sum.bytes += chunk.length;
    await writer.data(chunk);
  }
  const whole = { ...sum, sha256: hash.digest('hex') };
  await writer.say('S', whole);
  return whole;
}

type FrameWriter = ReturnType<typeof frameWriter>;

function frameWriter(file: FileHandle) {
  const hash = createHash('sha256');
  let written = 0;
  const put = async (bytes: Buffer): Promise<void> => {
    hash.update(bytes);
    written += bytes.length;
    // A write may take only part of the bytes, for example when the disk fills up.
    for (let rest = bytes; rest.length > 0; ) rest = rest.subarray((await file.write(rest)).bytesWritten);
  };
  const frame = (kind: FrameKind, bytes: Buffer) => put(Buffer.concat([frameHead(kind, bytes.length), bytes]));
  return {
    mark: () => put(MARK),
    say: (kind: FrameKind, content: object) => frame(kind, Buffer.from(JSON.stringify(content))),
    data: async (chunk: Buffer): Promise<void> => {
      for (let rest = chunk; rest.length > 0; rest = rest.subarray(LONGEST_FRAME_BYTES))
        await frame('D', rest.subarray(0, LONGEST_FRAME_BYTES));
    },
    soFar: () => ({ bytes: written, sha256: hash.copy().digest('hex') }),
  };
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch {
    // Some network drives cannot sync folders; durability is then up to the server.
  } finally {
    await folder.close();
  }
}

function explain(error: unknown, path: string): unknown {
  const code = systemCode(error);
  const action = `write the backup "${path}"`;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new PipelineError('DISK_FULL', action, undefined, { next: 'Make room, or write it elsewhere.' });
  if (code === 'ENOENT') return new PipelineError('FOLDER_MISSING', action, undefined, { next: 'Make the folder.' });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new PipelineError('FOLDER_NOT_WRITABLE', action, undefined, { cause: error });
  return error;
}
