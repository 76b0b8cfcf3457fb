import { bindAll } from '../../support/bind-for-test.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startTestRedis } from '../../support/redis.ts';
import type { Drop } from './make-drops.ts';
import { runCommand, type Service } from './service.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import { findDueWork } from '../../support/due-work.ts';
import { isFormerName } from '../../../src/ledger/merchant/bound-accounts.ts';
import { isMoving } from '../../../src/ledger/overview/overview.ts';
import type { Program } from '../../support/build-program.ts';
import { SEARCH_PATH } from '../../../src/ledger/engine/schema.ts';

/** What a story needs of the hosts on which it is played, one or several. */
export type StoryWorld = {
  readonly hosts: readonly StoryHost[];
  /** Other folders that must hold no number either. */
  readonly kept: readonly string[];
  readonly service: Service;
  readonly ledger: LedgerView;
  readonly redis: RedisServer | undefined;
  readonly drops: Drop[];
  readonly accounts: Changed;
  drop(drop: Drop): Promise<void>;
  /** Returns what lies in the drop folders and the work folders; at rest that is nothing. */
  leftovers(): Promise<string[]>;
  /** Returns every send journal, including the lost ones. */
  journals(): Promise<string[]>;
  /** Returns how long it took, in ms, or undefined when it never came to rest. */
  waitForRest(timeoutMs: number): Promise<number | undefined>;
  lastWords(): string;
  close(): Promise<void>;
};

/** The folder of a host, and the environment of its commands. */
export type StoryHost = { readonly root: string; readonly env: Readonly<Record<string, string>> };

/** Accounts whose ledger is no longer the same. */
export type Changed = {
  /** An older ledger was put in place: only the journals know what was sent since. */
  readonly forgotten: Set<string>;
  /** Their declined payments were sent again by a person. */
  readonly reprocessed: Set<string>;
  /** A journal was lost with it; a person compared the ledger with the books and cancelled what stood there. */
  readonly compared: Set<string>;
  /** A host was put back as a whole, journal and ledger together: only the service knows what was sent since. */
  readonly exposed: Set<string>;
  /** They came to mean another merchant or currency; a person moved or cancelled what was left. */
  readonly left: Set<string>;
};

export function noneChanged(): Changed {
  return {
    forgotten: new Set(),
    reprocessed: new Set(),
    compared: new Set(),
    exposed: new Set(),
    left: new Set(),
  };
}

/** The Redis of one story. */
type RedisServer = {
  readonly url: string;
  flush(): Promise<void>;
  /** Saves what it holds now. */
  snapshot(): Promise<void>;
  /** Kills it and brings it back with what it held at the snapshot. */
  bringBackOlder(): Promise<void>;
  /** Returns everything it holds, as its own DUMP gives it. */
  dump(): Promise<Buffer[]>;
  stop(): Promise<void>;
};

export async function startRedisServer(): Promise<RedisServer> {
  const server = await startTestRedis();
  const ask = async <Answer>(question: (client: Redis) => Promise<Answer>): Promise<Answer> => {
    const client = new Redis(server.url, { maxRetriesPerRequest: 20 });
    client.on('error', () => {});
    try {
      return await question(client);
    } finally {
      client.disconnect();
    }
  };
  return {
    url: server.url,
    flush: async () => {
      await ask((client) => client.flushall());
    },
    snapshot: async () => {
      await ask((client) => client.save());
    },
    bringBackOlder: () => server.restart(),
    dump: () => ask(dumpEverything),
    stop: () => server.stop(),
  };
}

/** Turns compression off first, because compressed values would hide their content. */
async function dumpEverything(client: Redis): Promise<Buffer[]> {
  await client.config('SET', 'rdbcompression', 'no');
  const keys = await client.keysBuffer('*');
  const values = await Promise.all(keys.map((key) => client.dumpBuffer(key)));
  return keys.flatMap((key, index) => [key, Buffer.from('\n'), values[index] ?? Buffer.alloc(0), Buffer.from('\n')]);
}

/** Finds the embedded server of an installation. */
export async function findEmbedded(root: string): Promise<{ host: string; port: number; database: string }> {
  const [, , , port, host] = (await readFile(pidFileOf(root), 'utf8')).split('\n');
  return { host: host!, port: Number(port), database: 'paydrop' };
}

/** Returns the id of the process to kill. */
export async function findPostmaster(root: string): Promise<number | undefined> {
  const text = await readFile(pidFileOf(root), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number(text.split('\n')[0]);
}

function pidFileOf(root: string): string {
  return join(root, 'data', 'postgres', 'data', 'postmaster.pid');
}

/** The database of an installation, seen from outside. It never starts the server, and survives the server's death. */
export type LedgerView = {
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Returns whether nothing is in progress; false too while the server does not answer. */
  isAtRest(): Promise<boolean>;
  close(): Promise<void>;
};

/** How long the server may be away, in ms; a killed one must replay its log first. */
const PATIENCE_MS = 30_000;

/** @param find returns where the server can be reached now */
export function viewLedger(find: () => Promise<{ host: string; port: number; database: string }>): LedgerView {
  let client: pg.Client | undefined;

  const connect = async () => {
    const fresh = new pg.Client({
      ...(await find()),
      user: 'paydrop',
      ssl: false,
      options: `-c search_path=${SEARCH_PATH}`,
      connectionTimeoutMillis: 5_000,
    });
    fresh.setTypeParser(pg.types.builtins.INT8, Number);
    // The next query detects the server's death.
    fresh.on('error', () => {});
    await fresh.connect();
    return fresh;
  };
  // One query at a time, because they share a connection.
  let last: Promise<unknown> = Promise.resolve();
  const ask = <Row extends object>(sql: string, values?: unknown[]): Promise<Row[]> => {
    const answer = last.then(() => askNow<Row>(sql, values));
    last = answer.catch(() => {});
    return answer;
  };
  const askNow = async <Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> => {
    try {
      client ??= await connect();
      return (await client.query<Row>(sql, values)).rows;
    } catch (error) {
      const broken = client;
      client = undefined;
      await broken?.end().catch(() => {});
      throw error;
    }
  };
  const query = async <Row extends object>(sql: string, values?: unknown[]): Promise<Row[]> => {
    for (const end = performance.now() + PATIENCE_MS; ; await sleep(100)) {
      try {
        return await ask<Row>(sql, values);
      } catch (error) {
        if (isMistake(error)) throw error;
        if (performance.now() > end) throw error;
      }
    }
  };
  // The product's own definition of rest, which needs only a ledger's queries and clock.
  const pool = { query: async (sql: string, values?: unknown[]) => ({ rows: await ask(sql, values) }) };
  const bound: Ledger['bound'] = new Map();
  const ledger = { pool, clock: systemClock, bound } as unknown as Ledger;
  return {
    query,
    isAtRest: async () => {
      try {
        await bindAll(ledger);
        // No process has an account of a former name, so its work waits for a person.
        for (const name of bound.keys()) if (isFormerName(name)) ledger.bound.delete(name);
        if (await isMoving(ledger)) return false;
        const { intake, submit, deliver } = await findDueWork(ledger);
        const running = await ask(`SELECT FROM reprocess_run WHERE state = 'running'`);
        return intake.length + submit.length + deliver.length + running.length === 0;
      } catch (error) {
        if (isMistake(error) || error instanceof TypeError) throw error;
        return false;
      }
    },
    close: async () => {
      await client?.end().catch(() => {});
      client = undefined;
    },
  };
}

/** Returns whether a statement is wrong in itself, not the server away. */
function isMistake(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(?:42|22)/.test(error.code ?? '');
}

/** What an operator can inspect, and where they run commands. */
type Dashboard = {
  ledger: Pick<LedgerView, 'query'>;
  service: Pick<Service, 'books'>;
  place: { readonly root: string };
  env?: Readonly<Record<string, string>>;
};

type Doubt = { batch: string; account: string; invoices: string[] };

/**
 * Resolves batches in doubt as an operator does who reads the books of the service. It assigns the id of a batch that
 * is there, and declares one that is missing not received, so that it is sent again.
 * @param most batches to resolve; the others stay listed
 * @returns how many were resolved, and which right commands were refused
 */
export async function resolveDoubts(
  program: Program,
  dashboard: Dashboard,
  most: number,
): Promise<{ resolved: number; failures: string[] }> {
  const doubts = await dashboard.ledger.query<Doubt>(
    `SELECT b.file_id || '/' || b.batch_no AS batch, b.account, array_agg(r.invoice) AS invoices
     FROM batch b JOIN file f USING (file_id) JOIN payment_row r ON r.file_no = f.file_no AND r.batch_no = b.batch_no
     WHERE b.state = 'unknown' GROUP BY b.file_id, b.batch_no ORDER BY b.file_id, b.batch_no`,
  );
  if (doubts.length === 0) return { resolved: 0, failures: [] };
  // Payments that were sent again are in the books twice. A batch whose id the ledger has is another one.
  const known = await dashboard.ledger.query<{ id: string }>(
    'SELECT batch_id AS id FROM batch WHERE batch_id IS NOT NULL',
  );
  const ids = new Set(known.map(({ id }) => id));
  const lost = (await dashboard.service.books()).filter(({ batchId }) => !ids.has(batchId));
  const books = new Map(lost.map((row) => [row.invoice, row.batchId]));
  const failures: string[] = [];
  const chosen = doubts.slice(0, most);
  for (const { batch, invoices } of chosen) {
    const batchId = books.get(invoices[0]!);
    const verb =
      batchId === undefined
        ? ['--not-received', '--evidence', 'its invoices are not in the books']
        : ['--adopt', batchId];
    const words = ['resolve', batch, ...verb, '--reason', 'the books of the service were read'];
    const { status, said } = await runCommand(program, dashboard.place.root, words, dashboard.env);
    if (status !== 0) failures.push(`"${words.join(' ')}" ended with ${status}: ${said}`);
  }
  return { resolved: chosen.length, failures };
}
