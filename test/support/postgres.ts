import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool, type PoolConfig } from 'pg';
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
      await execute(run, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
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
 * Starts a server of its own in the temporary folder, which takes a second, and makes the template. The folder is that of
 * the process, so that runs beside each other do not meet.
 */
export async function openTestRun(): Promise<TestRun & { close(): Promise<void> }> {
  const folder = join(tmpdir(), `paydrop-test-postgres-${process.pid}`);
  const server = givenServer() ?? (await startOwnServer(folder));
  const run = { connection: server.connection, prefix: `test_${process.pid}_` };
  const template = await createDatabase(run);
  await makeSchemas(urlOf({ ...run.connection, database: template }));
  return {
    ...run,
    template,
    close: async () => {
      // A server is left running for anybody who is still connected.
      await admin?.end();
      admin = undefined;
      await server.leave();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startOwnServer(folder: string): Promise<EmbeddedServer> {
  // PostgreSQL refuses to run as root, and its user has to pass through.
  await mkdir(folder, { recursive: true, mode: 0o711 });
  return joinEmbeddedServer({ dataDir: folder, log: silentLog(), fsync: false });
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
let admin: Pool | undefined;

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
  // Files that are copied cost half as much as pages that go through the log, as long as nothing is synced.
  const source = template === undefined ? '' : ` TEMPLATE ${template} STRATEGY file_copy`;
  await execute(run, `CREATE DATABASE ${name}${source}`);
  return name;
}

async function execute(run: Pick<TestRun, 'connection'>, statement: string): Promise<void> {
  admin ??= openTestPool({ ...run.connection, allowExitOnIdle: true });
  await admin.query(statement);
}

export function urlOf({ user, host, port, database }: Connection): string {
  return `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}
