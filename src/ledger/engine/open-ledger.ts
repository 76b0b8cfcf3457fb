import pg from 'pg';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { joinEmbeddedServer } from '../postgres/join-embedded-server.ts';
import type { Sender } from '../admission/admit.ts';
import { explainRefusal } from './explain-refusal.ts';
import { joinAsInstance, type Instance } from './instance.ts';
import { migrate, refuseNewer, OUR_SESSION } from './migrate.ts';
import { storableText } from './storable-text.ts';

/** Where the ledger lives: a PostgreSQL of the user's, or the embedded one in the data folder. */
export type LedgerPlace = { url: string } | { dataDir: string; fsync?: boolean };

export type Ledger = {
  readonly pool: pg.Pool;
  /** Connections for `withLock` alone. */
  readonly locks: pg.Pool;
  readonly clock: Clock;
  /** SQL of the present moment by the clock of the database. What is concluded from times is reckoned by it. */
  readonly databaseNow: () => string;
  /** This process, as the ledger knows it: whoever holds a batch is named, and its death is noticed. */
  readonly instance: Instance;
  /** What lets this process send, without which nothing is taken up, or what is waited for (admission/admit.ts). */
  readonly admitted: { sender?: Sender | undefined; waits?: string | undefined };
  /** How to reach the same server, for the queue. */
  readonly connection: LedgerConnection;
  close(): Promise<void>;
};

export type LedgerConnection =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string };

/**
 * Opens the ledger: starts or joins the server, brings the schema up to date and registers this process.
 * @param options.databaseClock what tests put in place of the database's own; a hand clock stands for both when left out
 * @param options.answerMs longest wait for an answer of the server, for tests
 * @param options.asIs leaves the schema as it is found, for those who only look; what they ask may then be missing
 * @throws PipelineError LEDGER_UNREACHABLE, LEDGER_START_FAILED, LEDGER_NEWER
 */
export async function openLedger(
  place: LedgerPlace,
  options: { clock: Clock; databaseClock?: Clock; log: Log; answerMs?: number; asIs?: boolean },
): Promise<Ledger> {
  const server = await reachServer(place, options.log);
  const pool = openPool(server.connection, options);
  const locks = openPool(server.connection, options);
  const close = async () => {
    await pool.end();
    await locks.end();
    await server.leave();
  };
  try {
    const client = await pool.connect();
    await (options.asIs ? refuseNewer(client) : migrate(client)).finally(() => client.release());
    const instance = await joinAsInstance({ ...server.connection, ...SESSION }, options.log);
    return {
      pool,
      locks,
      clock: options.clock,
      databaseNow: sqlClock(options),
      instance,
      admitted: {},
      connection: server.connection,
      close: async () => {
        await instance.leave();
        await close();
      },
    };
  } catch (error) {
    await close();
    if (error instanceof PipelineError) throw error;
    const { reason, ...refusal } = explainRefusal(error) ?? {};
    throw new PipelineError('LEDGER_UNREACHABLE', 'open the ledger', reason, { ...refusal, cause: error });
  }
}

function sqlClock({ clock, databaseClock = clock }: { clock: Clock; databaseClock?: Clock }): () => string {
  if (databaseClock === systemClock) return () => 'clock_timestamp()';
  return () => `timestamptz '${databaseClock.now().toISOString()}'`;
}

/**
 * Longest wait for one answer of the server, in ms: longer than any statement, or any wait for a lock, ought to take. A
 * connection that went silent, as when a firewall forgot it, would else hold its worker for ever.
 */
const ANSWER_MS = 120_000;

/** Longest wait for a connection, in ms, also for one that others use. */
const CONNECT_MS = 30_000;

/** @param options.answerMs 0 for no limit */
export function openPool(connection: LedgerConnection, { log, answerMs }: { log: Log; answerMs?: number }): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    ...SESSION,
    max: 20,
    application_name: 'paydrop',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: answerMs ?? ANSWER_MS,
  });
  // A lost connection is replaced by the pool. Without both listeners it would end the process: the pool's hears of those
  // that are idle, the connection's own of those that are in use.
  pool.on('error', (error) => log.warn({ code: 'LEDGER_UNREACHABLE' }, `ledger connection lost: ${error.message}`));
  pool.on('connect', (client) => {
    client.on('error', (error) => log.debug(`ledger connection failed: ${error.message}`));
    keepTextsStorable(client);
  });
  return pool;
}

/**
 * The one gate for texts on their way to the database. Those of others may hold what PostgreSQL keeps nowhere, such as a NUL in
 * a result file, and a statement that fails over one would fail again for ever.
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

/** What node-postgres says of the values of a statement, see its lib/query.js; the types of it leave this out. */
type Bound = { valueMapper?: (value: unknown) => unknown };

/**
 * What every session asks of a server that may be set up otherwise. A commit is on the disk before it is answered, or a
 * power cut would take back moves that were acted upon. A process that vanishes in the middle of a transaction, or while
 * it holds a lock, holds up the others for a minute and not for hours.
 */
const SETTINGS = {
  search_path: 'paydrop',
  timezone: 'UTC',
  datestyle: 'ISO',
  synchronous_commit: 'on',
  idle_in_transaction_session_timeout: '60s',
  tcp_keepalives_idle: '60',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '6',
  // Shows that all of them have come.
  [OUR_SESSION]: 'on',
};

/** Every session reads integers of 64 bits as numbers: cents and counts stay far below 2^53 (kernel/money.ts). */
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
): Promise<{ connection: LedgerConnection; leave(): Promise<void> }> {
  if ('url' in place) return { connection: { connectionString: place.url }, leave: async () => {} };
  return joinEmbeddedServer({ ...place, log });
}
