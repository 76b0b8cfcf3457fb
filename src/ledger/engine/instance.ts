import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { reasonOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';

/** Namespace of the advisory locks that say "this instance is alive". */
export const ALIVE_LOCKS = 7_001;

/** Wait before a lost connection is opened again, in ms. */
const REJOIN_MS = 1_000;

/** Longest wait for a server that does not answer, in ms; then it is tried again. */
const CONNECT_MS = 10_000;

/** How often the idle connection is checked, in ms. */
const BEAT_MS = 15_000;

/** After a server outage, processes return one by one. For this long, in ms, none takes another for dead. */
const SETTLE_MS = 10_000;

export type Instance = {
  readonly id: string;
  /** Stays the same when the process restarts. */
  readonly host: string;
  /** False for a while after a lost connection: other processes lost theirs too and may not be back yet. */
  isSettled(): boolean;
  leave(): Promise<void>;
};

/**
 * Registers this process with the ledger by holding an advisory lock on its own connection. PostgreSQL frees the lock
 * when the process dies, however it dies. So others see at once that a batch lost its worker, without heartbeats or
 * comparing clocks. A process cut off from the database counts as dead, and its batches go to `unknown`. That is the
 * safe side, because it cannot record an answer either.
 */
export async function joinAsInstance(
  connection: pg.ClientConfig,
  log: Log,
  { rejoinMs = REJOIN_MS, beatMs = BEAT_MS, settleMs = SETTLE_MS } = {},
): Promise<Instance> {
  const host = hostname();
  const id = `${host}-${process.pid}-${randomUUID().slice(0, 8)}`;
  let left = false;
  let settledAt = 0;
  let client = await hold();
  // TCP keepalive alone is not enough: only a query reveals a network that silently drops everything.
  const beat = setInterval(() => void askForLife(client), beatMs);
  beat.unref();

  async function hold(): Promise<pg.Client> {
    const fresh = await holdAliveLock(connection, id, log);
    // Attached only now: a connection that never opened must not start a second retry loop.
    fresh.once('end', () => {
      settledAt = Number.POSITIVE_INFINITY;
      if (!left) void rejoin();
    });
    return fresh;
  }

  async function rejoin(): Promise<void> {
    while (!left) {
      await wait(rejoinMs, undefined, { ref: false });
      try {
        client = await hold();
        settledAt = performance.now() + settleMs;
        // `leave` ran while the connection was being made, so nothing else would close it.
        if (left) await client.end();
        return;
      } catch (error) {
        log.debug(`instance cannot rejoin yet: ${reasonOf(error)}`);
      }
    }
  }

  return {
    id,
    host,
    isSettled: () => performance.now() >= settledAt,
    leave: async () => {
      left = true;
      clearInterval(beat);
      await client.end().catch(() => {});
    },
  };
}

/** Ends a connection that does not answer, so that a new one is made. */
async function askForLife(client: pg.Client): Promise<void> {
  await client.query('SELECT 1').catch(() => client.end().catch(() => {}));
}

async function holdAliveLock(connection: pg.ClientConfig, id: string, log: Log): Promise<pg.Client> {
  const client = new pg.Client({
    query_timeout: CONNECT_MS,
    ...connection,
    application_name: 'paydrop-instance',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
  });
  client.on('error', (error) => log.warn({ code: 'LEDGER_UNREACHABLE' }, `instance connection lost: ${error.message}`));
  try {
    await client.connect();
    await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [ALIVE_LOCKS, id]);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}
