import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { reasonOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { withRefusalExplained } from './explain-refusal.ts';

/** Namespace of the advisory locks that say "this instance is alive". */
export const ALIVE_LOCKS = 7_001;

/** Namespace of the locks of duties (7_002 is that of with-lock.ts). */
const DUTY_LOCKS = 7_003;

/** How long a duty is kept without being asked for, in ms. */
const DUTY_MS = 120_000;

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
  /**
   * Returns whether this process has a duty that one process has at a time, and takes it when it is free. It is free
   * again when its process dies, or has not asked for it for two minutes.
   */
  hasDuty(duty: string): Promise<boolean>;
  leave(): Promise<void>;
};

/**
 * Registers this process with the ledger by holding an advisory lock on its own connection. PostgreSQL frees the lock
 * when the process dies, however it dies. So others see at once that a batch lost its worker, without heartbeats or
 * comparing clocks. A process cut off from the database counts as dead, and its batches go to `unknown`. That is the
 * safe side, because it cannot record an answer either.
 * @param options.onJoin runs on that connection whenever it is opened, before the process counts as joined
 */
export async function joinAsInstance(
  connection: pg.ClientConfig,
  log: Log,
  { onJoin = noStep, rejoinMs = REJOIN_MS, beatMs = BEAT_MS, settleMs = SETTLE_MS, dutyMs = DUTY_MS } = {},
): Promise<Instance> {
  const host = hostname();
  const id = `${host}-${process.pid}-${randomUUID().slice(0, 8)}`;
  let left = false;
  let settledAt = 0;
  let client = await hold();
  let duties = openDuties(client);
  // TCP keepalive alone is not enough: only a query reveals a network that silently drops everything.
  const beat = setInterval(() => void duties.beat(dutyMs), beatMs);
  beat.unref();

  async function hold(): Promise<pg.Client> {
    const fresh = await holdAliveLock(connection, id, log, onJoin);
    // Attached only now: a connection that never opened must not start a second retry loop.
    fresh.once('end', () => {
      settledAt = Number.POSITIVE_INFINITY;
      if (!left) void rejoin();
    });
    return fresh;
  }

  async function rejoin(): Promise<void> {
    let known: string | undefined;
    while (!left) {
      await wait(rejoinMs, undefined, { ref: false });
      try {
        client = await hold();
        duties = openDuties(client);
        settledAt = performance.now() + settleMs;
        // `leave` ran while the connection was being made, so nothing else would close it.
        if (left) await client.end();
        return;
      } catch (error) {
        const reason = reasonOf(withRefusalExplained(error));
        // It is tried every second, so each reason is a warning once.
        log[reason === known ? 'debug' : 'warn'](
          { code: 'LEDGER_UNREACHABLE' },
          `instance cannot rejoin yet: ${reason}`,
        );
        known = reason;
      }
    }
  }

  return {
    id,
    host,
    isSettled: () => performance.now() >= settledAt,
    hasDuty: (duty) => duties.has(duty),
    leave: async () => {
      left = true;
      clearInterval(beat);
      await client.end().catch(() => {});
    },
  };
}

async function noStep(_client: pg.Client): Promise<void> {}

type Duties = {
  has(duty: string): Promise<boolean>;
  /** Ends a connection that does not answer, so that a new one is made, and drops the duties that are not used. */
  beat(unusedMs: number): Promise<void>;
};

/** Opens the duties of one session; their locks end with it. One question at a time, because a lock taken twice stays. */
function openDuties(client: pg.Client): Duties {
  const askedAt = new Map<string, number>();
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const answer = last.then(work);
    last = answer.catch(() => {});
    return answer;
  };
  const ask = async (name: 'pg_try_advisory_lock' | 'pg_advisory_unlock', duty: string) => {
    const asked = await client.query<{ yes: boolean }>(`SELECT ${name}($1, hashtext($2)) AS yes`, [DUTY_LOCKS, duty]);
    return asked.rows[0]?.yes === true;
  };
  return {
    has: (duty) =>
      inTurn(async () => {
        // Any answer proves that the session lives, and with it the lock.
        if (askedAt.has(duty)) await client.query('SELECT 1');
        else if (!(await ask('pg_try_advisory_lock', duty))) return false;
        askedAt.set(duty, performance.now());
        return true;
      }),
    beat: (unusedMs) =>
      inTurn(async () => {
        await client.query('SELECT 1');
        for (const [duty, at] of askedAt) {
          if (performance.now() - at < unusedMs) continue;
          await ask('pg_advisory_unlock', duty);
          askedAt.delete(duty);
        }
      }).catch(() => client.end().catch(() => {})),
  };
}

async function holdAliveLock(
  connection: pg.ClientConfig,
  id: string,
  log: Log,
  onJoin: (client: pg.Client) => Promise<void>,
): Promise<pg.Client> {
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
    await onJoin(client);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}
