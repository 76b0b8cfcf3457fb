import pg from 'pg';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { openTally, type Tally } from '../../kernel/health.ts';
import type { Log } from '../../kernel/log.ts';
import { joinEmbeddedServer } from '../postgres/join-embedded-server.ts';
import type { Sender } from '../admission/admit.ts';
import type { BoundAccounts, Meaning } from '../merchant/bound-accounts.ts';
import { explainOpening } from './explain-refusal.ts';
import { joinAsInstance, type Instance } from './instance.ts';
import { keepFunctions, refuseForeignFunctions } from './functions.ts';
import { migrate, refuseNewer } from './migrate.ts';
import { SEARCH_PATH } from './schema.ts';
import { OUR_SESSION } from './schema-lock.ts';
import { storableText } from './storable-text.ts';
import { visit } from './visit.ts';

/** Where the ledger lives: the user's own PostgreSQL, or the embedded one in the data folder. */
export type LedgerPlace = { url: string } | { dataDir: string; fsync?: boolean };

export type Ledger = {
  readonly pool: pg.Pool;
  /** Connections for the answers of calls only (batch/commit-send.ts): whatever else takes long, they are free for those. */
  readonly answers: pg.Pool;
  /**
   * Connections that are held for long: by the locks of with-lock.ts, by snapshots that a slow reader goes through, by backups.
   * They would keep work waiting. A process that only reads has one pool for all.
   */
  readonly locks: pg.Pool;
  readonly clock: Clock;
  /** SQL for the current time by the database clock. All conclusions from times use it. */
  readonly databaseNow: () => string;
  /** This process as the ledger knows it, so that the holder of a batch is named and its death noticed. */
  readonly instance: Instance;
  /** What lets this process send, or what it waits for (admission/admit.ts). Without it, no batch is taken up. */
  readonly admitted: { sender?: Sender | undefined; waits?: string | undefined };
  /** Accounts that this process may use: the ledger and its configuration mean the same by them (merchant/bind-accounts.ts). */
  readonly bound: BoundAccounts;
  /** What each name means in the ledger, names of former meanings included, as last read with the bindings. */
  readonly meanings: Map<string, Meaning>;
  /** Names that the ledger had when this process began, and since when each meant what it meant (merchant/bind-accounts.ts). */
  readonly namesAtStart: Map<string, Date>;
  /** Receives each move and outcome that is committed. */
  readonly tally: Tally;
  /** How the queue reaches the same server. */
  readonly connection: LedgerConnection;
  close(): Promise<void>;
};

export type LedgerConnection =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string };

/**
 * Opens the ledger: starts or joins the server, updates the schema and registers this process.
 * @param options.databaseClock replaces the database clock in tests; if left out, a manual `clock` serves for both
 * @param options.answerMs longest wait for a reply of the server, for tests
 * @param options.meanwhile called once or more, as soon as this process has nothing to do but wait
 * @param options.asIs leaves the schema as found, for read-only callers; what they query may be missing
 * @param options.reads for a command that only reads: one connection, and no process is registered (visit.ts). It must not
 *   wait for a second connection while it holds one
 * @throws PipelineError LEDGER_UNREACHABLE, LEDGER_START_FAILED, LEDGER_NEWER
 */
export async function openLedger(
  place: LedgerPlace,
  options: {
    clock: Clock;
    databaseClock?: Clock;
    log: Log;
    tally?: Tally;
    answerMs?: number;
    asIs?: boolean;
    reads?: boolean;
    meanwhile?: () => void;
  },
): Promise<Ledger> {
  const server = await reachServer(place, options.log, options.meanwhile);
  let onConnect: ((client: pg.ClientBase) => Promise<void>) | undefined;
  const pool = openPool(server.connection, {
    ...options,
    ...(options.reads && { ...ONE_THAT_STAYS, onConnect: (client) => onConnect?.(client) }),
  });
  const answers = openPool(server.connection, { ...options, max: CONNECTIONS.answers });
  const locks = options.reads ? pool : openPool(server.connection, { ...options, max: CONNECTIONS.locks });
  const close = async () => {
    await pool.end();
    await answers.end();
    if (locks !== pool) await locks.end();
    await server.leave();
  };
  try {
    const client = await pool.connect();
    const visitor = await enter(client, options).finally(() => client.release());
    // A session that takes the place of a lost one proves all of it anew.
    if (visitor) onConnect = (next) => mustStillVisit(next, sqlClock(options)());
    const instance =
      visitor ??
      (await joinAsInstance({ ...server.connection, ...SESSION }, options.log, {
        onJoin: (own) => keepFunctions(own, options.log, options),
        databaseNow: sqlClock(options),
      }));
    return {
      pool,
      answers,
      locks,
      clock: options.clock,
      databaseNow: sqlClock(options),
      instance,
      admitted: {},
      bound: new Map(),
      meanings: new Map(),
      namesAtStart: new Map(),
      tally: options.tally ?? openTally(),
      connection: server.connection,
      close: async () => {
        await instance.leave();
        await close();
      },
    };
  } catch (error) {
    await close();
    if (error instanceof PipelineError) throw error;
    const { reason, ...refusal } = explainOpening(error) ?? {};
    throw new PipelineError('LEDGER_UNREACHABLE', 'open the ledger', reason, { ...refusal, cause: error });
  }
}

/** Makes the first session ready for use. @returns this process as a visitor, if it need not be registered */
async function enter(
  client: pg.PoolClient,
  options: { asIs?: boolean; reads?: boolean; log: Log; clock: Clock; databaseClock?: Clock },
): Promise<Instance | undefined> {
  const visitor = options.reads ? await visit(client, sqlClock(options)()) : undefined;
  if (visitor) return visitor;
  await (options.asIs ? checkAsIs(client) : migrate(client, options.log));
  return undefined;
}

async function mustStillVisit(client: pg.ClientBase, databaseNow: string): Promise<void> {
  if (await visit(client, databaseNow)) return;
  throw new PipelineError('LEDGER_UNREACHABLE', 'read the ledger', 'it was changed while the connection was lost', {
    next: 'Run the command again.',
  });
}

async function checkAsIs(client: pg.PoolClient): Promise<void> {
  await refuseForeignFunctions(client);
  await refuseNewer(client);
}

function sqlClock({ clock, databaseClock = clock }: { clock: Clock; databaseClock?: Clock }): () => string {
  if (databaseClock === systemClock) return () => 'clock_timestamp()';
  return () => `timestamptz '${databaseClock.now().toISOString()}'`;
}

/**
 * Longest wait for one reply of the server, in ms: longer than any statement or lock wait should take. Otherwise a
 * connection that went silent, for example because a firewall forgot it, would block its worker forever.
 */
const ANSWER_MS = 120_000;

/** Longest wait for a connection, in ms, including one that is in use. */
const CONNECT_MS = 30_000;

/**
 * Most connections of a process. Work that takes long may have all those for work; an answer, which only this process knows,
 * does not wait for them. A lock or a snapshot has one while it lasts.
 */
const CONNECTIONS = { work: 4, answers: 2, locks: 20 };

/** For a reader: its session keeps the functions of this version, so it is not replaced when it rests. */
const ONE_THAT_STAYS = { max: 1, idleTimeoutMillis: 0 };

/** @param options.answerMs 0 for no limit */
export function openPool(
  connection: LedgerConnection,
  {
    log,
    answerMs,
    max = CONNECTIONS.work,
    idleTimeoutMillis,
    onConnect,
  }: {
    log: Log;
    answerMs?: number;
    max?: number;
    idleTimeoutMillis?: number;
    onConnect?: (client: pg.ClientBase) => Promise<void> | undefined;
  },
): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    ...SESSION,
    max,
    ...(idleTimeoutMillis !== undefined && { idleTimeoutMillis }),
    // pg-pool waits for its promise, which its types leave out.
    ...({ onConnect } as object),
    application_name: 'paydrop',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: answerMs ?? ANSWER_MS,
  });
  // The pool replaces a lost connection. Without both listeners the loss would end the process. The pool's listener
  // covers idle connections, the connection's own covers those in use.
  pool.on('error', (error) => log.warn({ code: 'LEDGER_UNREACHABLE' }, `ledger connection lost: ${error.message}`));
  pool.on('connect', (client) => {
    client.on('error', (error) => log.debug(`ledger connection failed: ${error.message}`));
    keepTextsStorable(client);
  });
  return pool;
}

/**
 * Makes every text on its way to the database storable. Foreign text may hold what PostgreSQL cannot store, such as a
 * NUL in a result file. A statement that fails on it would fail again forever.
 */
function keepTextsStorable(client: pg.PoolClient): void {
  const { connection } = client as unknown as { connection: { bind(told: Bound | null, more: boolean): void } };
  const { bind } = connection;
  connection.bind = function bindStorable(told, more) {
    const mapValue = told?.valueMapper;
    const gate = (value: unknown) => {
      const mapped = mapValue!(value);
      return typeof mapped === 'string' ? storableText(mapped) : mapped;
    };
    bind.call(this, mapValue ? { ...told, valueMapper: gate } : told, more);
  };
}

/** How node-postgres describes the values of a statement (see its lib/query.js); its types leave this out. */
type Bound = { valueMapper?: (value: unknown) => unknown };

/**
 * Settings of every session, whatever the server's own. A commit is on disk before it is answered; otherwise a power
 * cut could undo moves that were acted upon. A process that vanishes during a transaction, or while holding a lock,
 * blocks others for a minute, not for hours. No statement is split among processes of the server: most read little, and
 * starting these takes longer than they save.
 */
const SETTINGS = {
  search_path: SEARCH_PATH,
  timezone: 'UTC',
  datestyle: 'ISO',
  // Backups hold bytes as text, in which the names of master keys are looked for.
  bytea_output: 'hex',
  synchronous_commit: 'on',
  idle_in_transaction_session_timeout: '60s',
  max_parallel_workers_per_gather: '0',
  tcp_keepalives_idle: '60',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '6',
  // Shows that all of them arrived.
  [OUR_SESSION]: 'on',
};

/** Every session reads 64-bit integers as numbers: cents and counts stay far below 2^53 (kernel/money.ts). */
const INT8 = 20;
const SESSION = {
  options: Object.entries(SETTINGS)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' '),
  types: {
    getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
      oid === INT8 && format !== 'binary'
        ? Number
        : (pg.types.getTypeParser as (oid: number, format?: string) => unknown)(
            oid,
            format,
          )) as typeof pg.types.getTypeParser,
  },
};

export async function reachServer(
  place: LedgerPlace,
  log: Log,
  meanwhile: () => void = () => {},
): Promise<{ connection: LedgerConnection; leave(): Promise<void> }> {
  const server =
    'url' in place
      ? { connection: { connectionString: place.url }, leave: async () => {} }
      : await joinEmbeddedServer({ ...place, log, meanwhile });
  meanwhile();
  return server;
}

/** What the ledger's server reports about itself in one of our sessions. */
export type ServerState = {
  /** Such as 180001 for 18.1. */
  versionNumber: number;
  version: string;
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  isStandby: boolean;
  /** By the server's own clock. */
  now: Date;
};

export async function inspectServer(ledger: Ledger): Promise<ServerState> {
  const { rows } = await ledger.pool.query<ServerState>(
    `SELECT current_setting('server_version_num')::int AS "versionNumber", current_setting('server_version') AS version,
            current_setting('fsync') AS fsync, current_setting('full_page_writes') AS "fullPageWrites",
            current_setting('synchronous_commit') AS "synchronousCommit",
            pg_is_in_recovery() AS "isStandby", clock_timestamp() AS now`,
  );
  return rows[0]!;
}
