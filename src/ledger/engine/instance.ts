import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { Role } from '../../../schemas/jobs.ts';
import { reasonOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { withRefusalExplained } from './explain-refusal.ts';

/** Namespace of the advisory locks that say "this instance is alive". */
export const ALIVE_LOCKS = 7_001;

/** SQL: the locks `alive` of the living processes of this ledger. PostgreSQL frees that of a process, however it dies. */
export const LIVING_PROCESSES = `pg_locks alive WHERE alive.locktype = 'advisory' AND alive.granted AND alive.objsubid = 2
    AND alive.classid = ${ALIVE_LOCKS} AND alive.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Returns SQL for whether the process with this id lives. @param id SQL of the id */
export function isAlive(id: string): string {
  return `EXISTS (SELECT FROM ${LIVING_PROCESSES} AND alive.objid = hashtext(${id})::oid)`;
}

/** Namespace of the locks of duties; each constant that ends in `_LOCKS` has a number of its own. */
const DUTY_LOCKS = 7_007;

/** How long a duty is kept without being asked for, in ms. */
const DUTY_MS = 120_000;

/** Wait before a lost connection is opened again, in ms. */
const REJOIN_MS = 1_000;

/** Longest wait for a server that does not answer, in ms; then it is tried again. */
const CONNECT_MS = 10_000;

/** How often the idle connection is checked and gives the sign of life of this process, in ms. */
const BEAT_MS = 5_000;

/** After a server outage, processes return one by one. For this long, in ms, none takes another for dead. */
const SETTLE_MS = 10_000;

/** What a process does, for the others (table `process`). */
export type Presence = {
  readonly site: string;
  readonly roles: ReadonlySet<Role>;
  /** False for a process that ends by itself when the work is done. */
  readonly stays: boolean;
  /** Returns how long ago the drop folder that was listed least recently was listed, in ms; undefined for none. */
  listedMs(): number | undefined;
};

export type Instance = {
  readonly id: string;
  /** Stays the same when the process restarts. */
  readonly host: string;
  /** When this process joined, or joined again after it lost its connection, by the clock of the database. */
  joinedAt(): Date;
  /** Lets others see what this process does. It gives signs of life from now until `depart`; a command gives none. */
  announce(presence: Presence): Promise<void>;
  /** Gives the last sign of life at a clean end. */
  depart(): Promise<void>;
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
 * comparing clocks. A process whose own connection is lost counts as dead until it has it again, and a call that it makes
 * meanwhile may go to `unknown`. That is the safe side: its answer is then kept beside the doubt.
 * @param options.onJoin runs on that connection whenever it is opened, before the process counts as joined
 * @param options.databaseNow SQL for the current time
 */
export async function joinAsInstance(
  connection: pg.ClientConfig,
  log: Log,
  {
    onJoin = noStep,
    databaseNow = (): string => 'clock_timestamp()',
    rejoinMs = REJOIN_MS,
    beatMs = BEAT_MS,
    settleMs = SETTLE_MS,
    dutyMs = DUTY_MS,
  } = {},
): Promise<Instance> {
  const host = hostname();
  const id = `${host}-${process.pid}-${randomUUID().slice(0, 8)}`;
  let left = false;
  let settledAt = 0;
  let joinedAt = new Date(0);
  let presence: Presence | undefined;
  let client = await hold();
  let session = openSession(client);
  // TCP keepalive alone is not enough: only a query reveals a network that silently drops everything.
  const beat = setInterval(() => void session.beat(dutyMs, giveSign), beatMs);
  beat.unref();

  async function hold(): Promise<pg.Client> {
    const { client: fresh, at } = await holdAliveLock(connection, { id, log, onJoin, databaseNow });
    joinedAt = at;
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
        session = openSession(client);
        settledAt = performance.now() + settleMs;
        // `leave` ran while the connection was being made, so nothing else would close it.
        if (left) await client.end();
        // Others may have missed this process for as long as the server was away.
        else void session.beat(dutyMs, giveSign);
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

  async function giveSign(connected: pg.Client): Promise<void> {
    if (presence === undefined) return void (await connected.query('SELECT 1'));
    try {
      await writeSign(connected, { id, host, presence, now: databaseNow() });
    } catch (error) {
      // A refusal is an answer, for example of a read-only server: the session lives, and with it the lock.
      if (!(error instanceof pg.DatabaseError)) throw error;
      log.warn({ code: 'LEDGER_UNREACHABLE' }, `this process cannot give a sign of life: ${error.message}`);
    }
  }

  return {
    id,
    host,
    joinedAt: () => joinedAt,
    announce: async (announced) => {
      presence = announced;
      await session.beat(dutyMs, giveSign);
    },
    depart: async () => {
      await session.beat(dutyMs, giveSign);
      presence = undefined;
    },
    isSettled: () => performance.now() >= settledAt,
    hasDuty: (duty) => session.hasDuty(duty),
    leave: async () => {
      left = true;
      clearInterval(beat);
      await client.end().catch(() => {});
    },
  };
}

/** Stands for a process that only reads. The others do not know it, so it has no duty and takes none of them for dead. */
export function asVisitor(joinedAt: Date): Instance {
  const host = hostname();
  return {
    id: `${host}-${process.pid}-visitor`,
    host,
    joinedAt: () => joinedAt,
    announce: () => Promise.reject(new Error('a process that only reads has nothing to announce')),
    depart: async () => {},
    isSettled: () => false,
    hasDuty: async () => false,
    leave: async () => {},
  };
}

async function noStep(_client: pg.Client): Promise<void> {}

/**
 * Longest time, in ms, for which a process that gave no sign of life is kept in the table. Later its role counts as one
 * that no process ever had.
 */
const KEPT_MS = 30 * 86_400_000;

/** A first sign also removes processes that have been gone for a month. Later ones change the row of this process only. */
async function writeSign(
  client: pg.Client,
  { id, host, presence, now }: { id: string; host: string; presence: Presence; now: string },
): Promise<void> {
  const { site, roles, stays } = presence;
  await client.query(
    `WITH sign AS (
       INSERT INTO process AS p (process_id, host, site, roles, stays, started_at, seen_at, listed_at)
       VALUES ($1, $2, $3, $4, $5, ${now}, ${now}, ${now} - $6::float8 * interval '1 ms')
       ON CONFLICT (process_id) DO UPDATE SET seen_at = EXCLUDED.seen_at, listed_at = EXCLUDED.listed_at
       RETURNING p.started_at = p.seen_at AS is_first)
     DELETE FROM process WHERE (SELECT is_first FROM sign) AND seen_at < ${now} - interval '${KEPT_MS} ms'`,
    [id, host, site, [...roles], stays, presence.listedMs() ?? null],
  );
}

type Session = {
  hasDuty(duty: string): Promise<boolean>;
  /**
   * Gives a sign of life and drops the duties that are not used. Ends a connection that does not answer, so that a new
   * one is made.
   */
  beat(unusedMs: number, giveSign: (client: pg.Client) => Promise<void>): Promise<void>;
};

/** Opens the duties of one session; their locks end with it. One question at a time, because a lock taken twice stays. */
function openSession(client: pg.Client): Session {
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
    hasDuty: (duty) =>
      inTurn(async () => {
        // Any answer proves that the session lives, and with it the lock.
        if (askedAt.has(duty)) await client.query('SELECT 1');
        else if (!(await ask('pg_try_advisory_lock', duty))) return false;
        askedAt.set(duty, performance.now());
        return true;
      }),
    beat: (unusedMs, giveSign) =>
      inTurn(async () => {
        await giveSign(client);
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
  {
    id,
    log,
    onJoin,
    databaseNow,
  }: { id: string; log: Log; onJoin: (client: pg.Client) => Promise<void>; databaseNow: () => string },
): Promise<{ client: pg.Client; at: Date }> {
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
    // A sign of life that a crash of the server loses is given again within seconds, so it need not wait for the disk.
    const { rows } = await client.query<{ at: Date }>(
      `SELECT pg_advisory_lock($1, hashtext($2)), set_config('synchronous_commit', 'off', false), ${databaseNow()} AS at`,
      [ALIVE_LOCKS, id],
    );
    await onJoin(client);
    return { client, at: rows[0]!.at };
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}
