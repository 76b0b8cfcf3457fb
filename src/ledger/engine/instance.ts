import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { reasonOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';

/** Namespace of the advisory locks that say "this instance is alive". */
export const ALIVE_LOCKS = 7_001;

/** How long to wait before a lost connection is taken up again, in ms. */
const REJOIN_MS = 1_000;

/** A server that does not answer at all is given up after this, in ms, and asked again. */
const CONNECT_MS = 10_000;

/** The connection is idle for hours; asked this often, in ms, it shows whether it still stands. */
const BEAT_MS = 15_000;

/** After an outage of the server the processes come back one by one; in this time none takes another for dead, in ms. */
const SETTLE_MS = 10_000;

export type Instance = {
  readonly id: string;
  /** Stays the same when the process is started again. */
  readonly host: string;
  /** False for a while after the connection was lost: others lost theirs too and may not be back yet. */
  isSettled(): boolean;
  leave(): Promise<void>;
};

/**
 * Registers this process with the ledger by holding an advisory lock on a connection of its own. PostgreSQL frees the
 * lock when the process dies, however it dies, so others see at once that a batch lost its worker, without heartbeats
 * and without comparing clocks. A process cut off from the database counts as dead: its batches go to `unknown`, which
 * is the safe side, because it cannot record an answer either.
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
  // Not kept by the operating system alone: a network that swallows everything is noticed by nobody who does not ask.
  const beat = setInterval(() => void askForLife(client), beatMs);
  beat.unref();

  async function hold(): Promise<pg.Client> {
    const fresh = await holdAliveLock(connection, id, log);
    // Listened for only now: a connection that never stood must not start a second row of tries beside the first.
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
        // Left while the connection was being made: nobody else would close it.
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

/** A connection that does not answer is ended, so that another one is made. */
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
