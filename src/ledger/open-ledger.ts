import pg from 'pg';
import type { Clock } from '../kernel/clock.ts';
import { PipelineError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { joinEmbeddedServer } from './embedded/join-embedded-server.ts';
import { joinAsInstance, type Instance } from './instance.ts';
import { migrate } from './migrate.ts';

/** Where the ledger lives: a PostgreSQL of the user's, or the embedded one in the data folder. */
export type LedgerPlace = { url: string } | { dataDir: string; fsync?: boolean };

export type Ledger = {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  /** This process, as the ledger knows it: whoever holds a batch is named, and its death is noticed. */
  readonly instance: Instance;
  /** How to reach the same server, for the queue. */
  readonly connection: LedgerConnection;
  close(): Promise<void>;
};

export type LedgerConnection =
  | { connectionString: string }
  | { host: string; port: number; user: string; database: string };

/**
 * Opens the ledger: starts or joins the server, brings the schema up to date and registers this process.
 * @throws PipelineError LEDGER_UNREACHABLE, LEDGER_START_FAILED
 */
export async function openLedger(place: LedgerPlace, options: { clock: Clock; log: Log }): Promise<Ledger> {
  const server = await reachServer(place, options.log);
  const pool = new pg.Pool({ ...server.connection, ...SESSION, max: 20, application_name: 'paydrop' });
  // A pooled connection that dies while idle is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) =>
    options.log.warn({ code: 'LEDGER_UNREACHABLE' }, `ledger connection lost: ${error.message}`),
  );
  try {
    const client = await pool.connect();
    await migrate(client).finally(() => client.release());
    const instance = await joinAsInstance({ ...server.connection, ...SESSION }, options.log);
    return {
      pool,
      clock: options.clock,
      instance,
      connection: server.connection,
      close: async () => {
        await instance.leave();
        await pool.end();
        await server.leave();
      },
    };
  } catch (error) {
    await pool.end();
    await server.leave();
    if (error instanceof PipelineError) throw error;
    throw new PipelineError('LEDGER_UNREACHABLE', 'open the ledger', undefined, { cause: error });
  }
}

/** Every session reads integers of 64 bits as numbers: cents and counts stay far below 2^53 (kernel/money.ts). */
const INT8 = 20;
const SESSION = {
  options: '-c search_path=paydrop -c timezone=UTC',
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

async function reachServer(
  place: LedgerPlace,
  log: Log,
): Promise<{ connection: LedgerConnection; leave(): Promise<void> }> {
  if ('url' in place) return { connection: { connectionString: place.url }, leave: async () => {} };
  return joinEmbeddedServer({ ...place, log });
}
