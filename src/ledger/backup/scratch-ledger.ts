import { randomBytes } from 'node:crypto';
import { mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { sha256Of } from '../../kernel/hash.ts';
import type { Log } from '../../kernel/log.ts';
import { type Ledger, type LedgerPlace, openLedger, openPool } from '../engine/open-ledger.ts';
import type { Queryable } from '../engine/transaction.ts';
import { isAlive } from '../postgres/ask-server.ts';
import { readNote } from '../postgres/find-cluster.ts';
import { endServer } from '../postgres/hold-earlier-server.ts';
import { joinEmbeddedServer } from '../postgres/join-embedded-server.ts';
import { restoreBackup } from './restore-backup.ts';

/** A scratch folder is named after the process that made it, a scratch database after the one that it stands beside. */
const FOLDER = /^drill-(\d+)-[0-9a-f]{12}$/;
const DATABASE = 'paydrop_drill_';

/** The server refused: its user may not create a database. */
const NOT_ALLOWED = '42501';

type Options = { clock: Clock; log: Log };

/**
 * Runs `work` with a new folder inside `parent`, and removes it again, with the server that runs in it. First it removes
 * those of runs that were killed.
 */
export async function withScratchFolder<Result>(
  parent: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = join(parent, `drill-${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    await removeLeftFolders(parent);
    await mkdir(folder, { mode: 0o700 });
    return await work(folder);
  } catch (error) {
    const [code, action] = [systemCode(error), `make the scratch folder "${folder}"`];
    if (code === 'ENOENT') throw new PipelineError('FOLDER_MISSING', action);
    if (['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'].includes(code ?? ''))
      throw new PipelineError('FOLDER_NOT_WRITABLE', action, undefined, { cause: error });
    throw error;
  } finally {
    await removeFolder(folder);
  }
}

/** A process that is gone has left them. One whose id is used again keeps its folder until that process ends too. */
async function removeLeftFolders(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = FOLDER.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await removeFolder(join(parent, name));
  }
}

async function removeFolder(folder: string): Promise<void> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined) return;
  // A note may name anything; only what was made for this folder is stopped and removed.
  const far = await readNote(real);
  const home = far !== undefined && basename(far) === sha256Of(real).slice(0, 16) ? far : join(real, 'postgres');
  // At once, because work of the killed run may hold it.
  await endServer({ dataDir: real, home, user: undefined });
  await rm(home, { recursive: true, force: true });
  await rm(real, { recursive: true, force: true });
}

/**
 * Restores a backup where nothing depends on it, runs `work` with that ledger, and removes it. Nothing can be sent from
 * it: its database refuses to be opened for sending, and every call (restore-backup.ts).
 * @param where a scratch folder, which gets a server of its own, or the address of a server that gets a new database
 * @throws PipelineError as `restoreBackup` and `openLedger`
 */
export async function withScratchLedger<Result>(
  where: { folder: string } | { url: string },
  backup: string,
  options: Options,
  work: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  if ('url' in where) return withDatabase(where.url, options.log, (url) => restoreAndWork({ url }));
  const place = { dataDir: where.folder, fsync: false };
  // Joined for the whole time: otherwise the server would stop between two steps.
  const server = await joinEmbeddedServer({ ...place, log: options.log });
  try {
    return await restoreAndWork(place);
  } finally {
    await server.leave();
  }

  async function restoreAndWork(place: LedgerPlace): Promise<Result> {
    await restoreBackup(place, backup, { ...options, actor: 'system', replace: false, isScratch: true });
    const ledger = await openLedger(place, { ...options, answerMs: 0 });
    try {
      return await work(ledger);
    } finally {
      await ledger.close();
    }
  }
}

/** Runs `work` with a new database on the server of this address. Locks tell which databases are still in use. */
async function withDatabase<Result>(url: string, log: Log, work: (url: string) => Promise<Result>): Promise<Result> {
  const pool = openPool({ connectionString: url }, { log, answerMs: 0 });
  try {
    const client = await pool.connect();
    try {
      const { rows } = await client.query<{ oid: string }>(
        'SELECT oid::text AS oid FROM pg_database WHERE datname = current_database()',
      );
      const prefix = `${DATABASE}${rows[0]!.oid}_`;
      await dropLeft(client, prefix);
      const name = `${prefix}${randomBytes(6).toString('hex')}`;
      await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [name]);
      await client.query(`CREATE DATABASE ${name} TEMPLATE template0`).catch(explain);
      try {
        return await work(await addressOf(url, name, log));
      } finally {
        await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }
    } finally {
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}

async function dropLeft(client: Queryable, prefix: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
    [prefix],
  );
  for (const { name } of rows) {
    const { rows: locks } = await client.query<{ isLeft: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS "isLeft"',
      [name],
    );
    if (locks[0]!.isLeft) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}

function explain(error: unknown): never {
  if (systemCode(error) !== NOT_ALLOWED) throw error;
  const next = 'Leave out --on-server, or let the user of DATABASE_URL do so: ALTER ROLE … CREATEDB.';
  const reason = 'the user of DATABASE_URL may not create a database';
  throw new PipelineError('LEDGER_UNREACHABLE', 'make a scratch database', reason, { next });
}

/** Returns the address of another database of the same server. It is tried, so that no other one is written to. */
async function addressOf(url: string, name: string, log: Log): Promise<string> {
  const other = url.replace(/^(\w+:\/\/[^/?#]*)(\/[^?#]*)?/, `$1/${name}`);
  const pool = openPool({ connectionString: other }, { log, answerMs: 0 });
  try {
    const { rows } = await pool.query<{ name: string }>('SELECT current_database() AS name');
    if (rows[0]!.name === name) return other;
  } finally {
    await pool.end();
  }
  const next = 'Name the database in the path of DATABASE_URL, or leave out --on-server.';
  throw new PipelineError('LEDGER_UNREACHABLE', 'make a scratch database', 'DATABASE_URL leads elsewhere', { next });
}

/** How many there are of something in an account, and their sum in integer cents. */
export type LedgerSum = { what: string; account: string; state: string; count: number; cents: number };

/** Adds up what a ledger knows. Of rows and outcomes it counts those that are in the ledger, not in archives. */
export async function readLedgerSums(client: Queryable): Promise<LedgerSum[]> {
  const { rows } = await client.query<LedgerSum>(
    `SELECT 'files' AS what, account, state, count(*) AS count, coalesce(sum(valid_cents), 0)::bigint AS cents
       FROM file GROUP BY account, state
     UNION ALL SELECT 'batches', account, state, count(*), sum(cents)::bigint FROM batch GROUP BY account, state
     UNION ALL SELECT 'rows', account, '', count(*), coalesce(sum(amount_cents), 0)::bigint
       FROM payment_row JOIN file USING (file_no) GROUP BY account
     UNION ALL SELECT 'outcomes', account, outcome, count(*), coalesce(sum(amount_cents), 0)::bigint
       FROM row_outcome JOIN payment_row USING (file_no, line) JOIN file USING (file_no) GROUP BY account, outcome
     UNION ALL SELECT 'archived files', account, '', count(*), coalesce(sum(s.sent_cents + s.withheld_cents), 0)::bigint
       FROM file JOIN archived_file s USING (file_no) GROUP BY account
     UNION ALL SELECT 'forgotten calls', account, '', count(*), 0 FROM forgotten_send GROUP BY account
     ORDER BY what, account, state`,
  );
  return rows;
}

/** Counts the batches whose rows in the ledger do not add up to them. */
export async function countUnevenBatches({ pool }: Ledger): Promise<number> {
  const { rows } = await pool.query<{ uneven: number }>(
    `SELECT count(*)::int AS uneven FROM batch b JOIN file f USING (file_id)
       LEFT JOIN (SELECT file_no, batch_no, count(*) AS rows, sum(amount_cents) AS cents FROM payment_row
                  WHERE batch_no IS NOT NULL GROUP BY file_no, batch_no) r
         ON r.file_no = f.file_no AND r.batch_no = b.batch_no
     WHERE f.archive_no IS NULL AND (b.rows IS DISTINCT FROM r.rows OR b.cents IS DISTINCT FROM r.cents)`,
  );
  return rows[0]!.uneven;
}

/** Tries to open a ledger for sending and to declare a call, and takes both back. */
export async function refusesToSend({ pool }: Ledger): Promise<boolean> {
  const tries = [
    'UPDATE admission SET is_open = true',
    `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, call)
       VALUES ('', 0, 0, '', '', 0, now(), gen_random_uuid())`,
  ];
  const client = await pool.connect();
  try {
    const refusals: unknown[] = [];
    for (const statement of tries) {
      await client.query('BEGIN');
      await client.query(statement).catch((error: unknown) => void refusals.push(systemCode(error)));
      await client.query('ROLLBACK');
    }
    return refusals.length === tries.length && refusals.every((code) => code === CHECK_VIOLATION);
  } finally {
    client.release();
  }
}

const CHECK_VIOLATION = '23514';

/** How many bytes the database of a ledger takes. */
export async function readSize({ pool }: Ledger): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes');
  return rows[0]!.bytes;
}

/** Counts the rows of each of these tables; a table that is no longer there is left out. */
export async function countTables({ pool }: Ledger, tables: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const table of tables) {
    const { rows: there } = await pool.query<{ is: boolean }>('SELECT to_regclass(quote_ident($1)) IS NOT NULL AS is', [
      table,
    ]);
    if (!there[0]!.is) continue;
    const { rows } = await pool.query<{ count: number }>(`SELECT count(*) AS count FROM "${table}"`);
    found.set(table, rows[0]!.count);
  }
  return found;
}
