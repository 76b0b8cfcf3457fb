import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Pool, type PoolConfig } from 'pg';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { type EmbeddedServer, joinEmbeddedServer } from '../../src/ledger/postgres/join-embedded-server.ts';
import { openLedger } from '../../src/ledger/engine/open-ledger.ts';
import { openQueue } from '../../src/queue/open-queue.ts';
import { givenServer } from './given-engines.ts';
import { clientlessSessions, keepSessionsWarm } from './warm-connections.ts';
import { isAlive } from '../../src/ledger/postgres/ask-server.ts';

type Connection = EmbeddedServer['connection'];

export type TestPostgres = {
  /** For node-postgres, for `openLedger` and for the queue; no other test uses this database. */
  connection: Connection;
  /** The same as a URL, as in DATABASE_URL. */
  url: string;
  /**
   * Resets the database for the next test, or drops it; once, however often it is called. Close your own connections
   * first; those left open are cut.
   */
  stop(): Promise<void>;
};

/** One server for all test processes of a run, with a database of the present schema to copy. */
export type TestRun = {
  connection: Connection;
  /** Prefix of the name of each database of the run. */
  prefix: string;
  template: string;
  /** Statements that give a copy the template's rows again, and the catalog that it must have then. */
  renewal: { statements: string; catalog: string };
};

export type DatabaseOptions = {
  /** A database without tables costs less than making the schema, but more than a copy. */
  schema?: 'present' | 'empty';
  /** `ended`: sessions end with their clients, for tests that count them. */
  sessions?: 'kept' | 'ended';
};

/** Returns a fresh database of the present schema, copied from the run's template. */
export async function startTestPostgres(options: DatabaseOptions = {}): Promise<TestPostgres> {
  const { schema = 'present', sessions = schema === 'present' ? 'kept' : 'ended' } = options;
  const run = await enterRun();
  // A database that was used before already has sessions.
  const isShared = schema === 'present' && sessions === 'kept';
  const template = schema === 'empty' ? undefined : run.template;
  const database = isShared ? await takeFromStock(run) : await createDatabase(run, template);
  const { host } = run.connection;
  const isApart = sessions === 'ended' && host.startsWith('/');
  const connection = { ...run.connection, host: isApart ? `${host}/.` : host, database };
  const giveBack = async () => {
    const isKept = schema === 'present' && isSharing && (await makeAsNew(connection, run.renewal));
    if (isKept) stock.push(database);
    else await execute(run, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    await leaveRun();
  };
  let givenBack: Promise<void> | undefined;
  return { connection, url: urlOf(connection), stop: () => (givenBack ??= giveBack()) };
}

/**
 * Opens a pool for a test's queries. A pool reports its end before its connections have ended. Errors of connections
 * that the server cuts then, with their database, are ignored.
 */
export function openTestPool(config: PoolConfig): Pool {
  return new Pool(config).on('error', () => {});
}

/**
 * Starts a server in the temporary folder, which takes a second, and makes the template. The folder belongs to this
 * process, so that parallel runs do not collide.
 */
export async function openTestRun(): Promise<TestRun & { close(): Promise<void> }> {
  const folder = join(tmpdir(), `paydrop-test-postgres-${process.pid}`);
  const server = givenServer() ?? (await startOwnServer(folder));
  const run = { connection: server.connection, prefix: `test_${process.pid}_` };
  const template = await createDatabase(run);
  const connection = { ...run.connection, database: template };
  await makeSchemas(urlOf(connection));
  const renewal = await planRenewal(connection);
  return {
    ...run,
    template,
    renewal,
    close: async () => {
      // The server would keep running for a client that is still connected.
      await admin?.end();
      admin = undefined;
      await server.leave();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startOwnServer(folder: string): Promise<EmbeddedServer> {
  // PostgreSQL refuses to run as root, and its user needs to pass through.
  await mkdir(folder, { recursive: true, mode: 0o711 });
  return joinEmbeddedServer({ dataDir: folder, log: silentLog(), fsync: false });
}

/** Makes the schemas of the ledger and of the queue, as an app does at its first start. */
async function makeSchemas(url: string): Promise<void> {
  const log = silentLog();
  const ledger = await openLedger({ url }, { clock: systemClock, log });
  const queue = await openQueue({ kind: 'postgres', connection: ledger.connection }, log);
  await queue.close();
  await ledger.close();
}

/** Environment variable that tells processes about their run. */
export const RUN_VARIABLE = 'PAYDROP_TEST_RUN';

/** In a vitest run the tests of a process follow each other, so a database given back serves the next test. */
const isSharing = process.env[RUN_VARIABLE] !== undefined;

let callers = 0;
let opening: Promise<TestRun & { close?(): Promise<void> }> | undefined;
let made = 0;
/** Copies of the template that no test has: one made ahead, and those that tests gave back. */
let next: Promise<string> | undefined;
const stock: string[] = [];
let admin: Pool | undefined;

/** Enters the run of vitest. A program outside of one opens its own run for as long as needed. */
async function enterRun(): Promise<TestRun> {
  callers += 1;
  const given = process.env[RUN_VARIABLE];
  opening ??= given === undefined ? openTestRun() : Promise.resolve(JSON.parse(given) as TestRun).then(joinRun);
  return opening;
}

async function joinRun(run: TestRun): Promise<TestRun> {
  keepSessionsWarm(run.connection.host);
  await dropLeft(run);
  return run;
}

/** Drops databases of the run whose process has ended, including copies that tests made of them under longer names. */
export async function dropLeft(run: TestRun): Promise<void> {
  const { rows } = await adminOf(run).query<{ name: string }>(
    'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1) AND datname <> $2',
    [run.prefix, run.template],
  );
  for (const { name } of rows)
    if (!isAlive(Number.parseInt(name.slice(run.prefix.length), 10)))
      await execute(run, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

async function leaveRun(): Promise<void> {
  callers -= 1;
  const run = await opening;
  if (callers > 0 || run?.close === undefined) return;
  opening = undefined;
  await next;
  next = undefined;
  await run.close();
}

/** Returns a copy that was given back or made ahead. The next copy is made while the test works with this one. */
async function takeFromStock(run: TestRun): Promise<string> {
  const kept = stock.pop();
  if (kept !== undefined) return kept;
  const taken = next ?? createDatabase(run, run.template);
  next = undefined;
  const database = await taken;
  next = createDatabase(run, run.template);
  next.catch(() => {});
  return database;
}

async function createDatabase(run: Pick<TestRun, 'connection' | 'prefix'>, template?: string): Promise<string> {
  const name = `${run.prefix}${process.pid}_${(made += 1)}`;
  // Without syncing, copying files costs half as much as pages that go through the log.
  const source = template === undefined ? '' : ` TEMPLATE ${template} STRATEGY file_copy`;
  await execute(run, `CREATE DATABASE ${name}${source}`);
  return name;
}

async function execute(run: Pick<TestRun, 'connection'>, statement: string): Promise<void> {
  await adminOf(run).query(statement);
}

function adminOf(run: Pick<TestRun, 'connection'>): Pool {
  admin ??= openTestPool({ ...run.connection, allowExitOnIdle: true });
  return admin;
}

/**
 * Gives a database the template's content again. This costs a twentieth of a new copy and keeps its sessions warm.
 * @returns false when that cannot be shown: a client is still connected, or the test changed more than rows
 */
async function makeAsNew(connection: Connection, { statements, catalog }: TestRun['renewal']): Promise<boolean> {
  const client = new Client(connection);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    const clientless = clientlessSessions();
    if (rows.some(({ pid }) => !clientless.includes(pid))) return false;
    await client.query(statements);
    return (await readCatalog(client)) === catalog;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

/** Most rows of a template table that is renewed; larger tables stay as they are. */
const MOST_ROWS = 3;

async function planRenewal(connection: Connection): Promise<TestRun['renewal']> {
  const client = new Client(connection);
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('paydrop', 'paydrop_queue')`,
  );
  const statements = ["SET lock_timeout = '5s'", 'SET session_replication_role = replica'];
  for (const { name } of tables) {
    const { rows } = await client.query<{ count: number; content: string }>(
      `SELECT count(*)::int AS count, json_agg(each)::text AS content FROM ${name} each`,
    );
    const { count, content } = rows[0]!;
    if (count > MOST_ROWS || CATALOG.includes(name)) continue;
    statements.push(`DELETE FROM ${name}`);
    if (count === 0) continue;
    statements.push(
      `INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, ${client.escapeLiteral(content)})`,
    );
  }
  statements.push(
    "SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) FROM pg_sequences",
  );
  const catalog = await readCatalog(client);
  await client.end();
  return { statements: statements.join(';\n'), catalog };
}

/**
 * Returns a text that changes with any table, index, trigger, function or setting, and with the fixed rows. The queue makes a
 * sequence for each name at its first job; those may stay, since they begin anew.
 */
async function readCatalog(client: Client): Promise<string> {
  const figures = CATALOG.map(
    (table) => `(SELECT count(*) || ':' || max(xmin::text::bigint) FROM ${table} ${UNCOUNTED[table] ?? ''})`,
  );
  const { rows } = await client.query<{ catalog: string }>(
    `SELECT concat_ws(' ', ${figures.join(', ')},
       (SELECT count(*) FROM pg_db_role_setting JOIN pg_database ON oid = setdatabase WHERE datname = current_database())
     ) AS catalog`,
  );
  return rows[0]!.catalog;
}

const OF_JOBS = `starts_with(relname, 'bullmq_jid_')`;
const UNCOUNTED: Readonly<Record<string, string>> = {
  pg_class: `WHERE NOT ${OF_JOBS}`,
  pg_attribute: `WHERE attrelid NOT IN (SELECT oid FROM pg_class WHERE ${OF_JOBS})`,
};

const CATALOG = [
  'pg_class',
  'pg_attribute',
  'pg_attrdef',
  'pg_constraint',
  'pg_index',
  'pg_trigger',
  'pg_proc',
  'pg_type',
  'pg_rewrite',
  'pg_default_acl',
  'paydrop.legal_move',
  'paydrop.migration',
  'paydrop_queue.migration',
];

export function urlOf({ user, host, port, database }: Connection): string {
  return `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}
