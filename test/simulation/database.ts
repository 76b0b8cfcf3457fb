import type { Clock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { type Ledger, openLedger } from '../../src/ledger/engine/open-ledger.ts';
import { startTestPostgres } from '../support/postgres.ts';
import { COPYING } from './ledger-copy.ts';

/**
 * The databases for all scenarios of this process. They are emptied between them, which is quicker than fresh ones. Where a
 * ledger goes on from a copy while the older one lives, each has a server, which here is a database of its own.
 */
export type Database = {
  /** @param no 0 for the one with which every scenario begins; others are made when they are first asked for */
  server(no: number): Promise<Server>;
  /** All that hold data. */
  readonly tables: readonly string[];
  /** Empties those that were used, and hands their offices to the next world. */
  empty(clock: Clock, databaseClock: Clock): Promise<void>;
  close(): Promise<void>;
};

export type Server = {
  readonly no: number;
  readonly url: string;
  /** A ledger for whoever looks at the world from outside, and for its operators. It never dies. */
  readonly office: Ledger;
  /** Waits until the server has seen that everybody of this name is gone, so that their locks are free. */
  awaitLeft(name: string): Promise<void>;
  /** The connections of this name are lost, also those that are in use. */
  cut(name: string): Promise<void>;
};

/**
 * Nobody waits for a lock that its holder gives back only after the waiting one has finished, as it is when one instance
 * acts in the middle of another's step.
 */
const LOCK_TIMEOUT_MS = 1_000;

/** Deleted rows leave gaps behind; a TRUNCATE now and then keeps the tables small. */
const TRUNCATE_EVERY = 100;

/** Belong to the schema. */
const KEPT = ['migration', 'legal_move', 'audit_head', 'admission'];

export async function openDatabase(): Promise<Database> {
  let clock: Clock = { now: () => new Date(0) };
  let databaseClock = clock;
  const clocks = {
    clock: { now: () => clock.now() },
    databaseClock: { now: () => databaseClock.now() },
  };
  const opened: (Server & { close(): Promise<void> })[] = [];
  const server = async (no: number) => {
    for (let next = opened.length; next <= no; next += 1) opened.push(await openServer(next, clocks));
    return opened[no]!;
  };
  const { pool } = (await server(0)).office;
  const { rows } = await pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'paydrop' AND tablename <> ALL ($1)`,
    [KEPT],
  );
  const tables = rows.map((row) => row.name);
  let emptied = 0;
  return {
    server,
    tables,
    empty: async (next, nextOfDatabase) => {
      clock = next;
      databaseClock = nextOfDatabase;
      emptied += 1;
      const deletes = tables.map((table) => `DELETE FROM ${table};`).join(' ');
      const how = emptied % TRUNCATE_EVERY === 0 ? `TRUNCATE ${tables.join(', ')};` : deletes;
      for (const { office } of opened)
        await office.pool.query(
          `BEGIN; SET LOCAL session_replication_role = replica; SET LOCAL lock_timeout = '5s'; ${how}
           UPDATE audit_head SET seq = 0, hash = '\\x00'; ${NEW_LEDGER} COMMIT`,
        );
    },
    close: async () => {
      for (const each of opened) await each.close();
    },
  };
}

/** As it was made, in this run of the server. */
const NEW_LEDGER = `UPDATE admission SET is_open = false, epoch = 0, closing_epoch = 1, senders = '{}',
  made_in = pg_postmaster_start_time(),
  made_database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());`;

async function openServer(
  no: number,
  clocks: { clock: Clock; databaseClock: Clock },
): Promise<Server & { close(): Promise<void> }> {
  const postgres = await startTestPostgres({ sessions: 'ended' });
  const setting = await openLedger({ url: postgres.url }, { clock: clocks.clock, log: silentLog() });
  const name = postgres.connection.database;
  await setting.pool.query(`ALTER DATABASE ${name} SET lock_timeout = '${LOCK_TIMEOUT_MS}ms'; ${COPYING}`);
  await setting.close();
  const office = await openLedger({ url: postgres.url }, { ...clocks, log: silentLog() });
  const awaitLeft = async (instance: string) => {
    for (;;) {
      const { rowCount } = await office.pool.query(
        'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
        [instance],
      );
      if (rowCount === 0) return;
    }
  };
  // Nobody who only looks is in the way of a restore.
  await office.instance.leave();
  return {
    no,
    url: postgres.url,
    office,
    awaitLeft,
    cut: async (instance) => {
      await office.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = $1`,
        [instance],
      );
      await awaitLeft(instance);
    },
    close: async () => {
      await office.close();
      await postgres.stop();
    },
  };
}
