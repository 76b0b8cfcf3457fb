import type { Clock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { type Ledger, openLedger } from '../../src/ledger/engine/open-ledger.ts';
import { startTestPostgres } from '../support/postgres.ts';
import { COPYING } from './ledger-copy.ts';

/**
 * The databases for all scenarios of this process. Emptying them in between is quicker than making fresh ones. A server
 * is a database of its own, so that a ledger can go on from a copy while the older one lives.
 */
export type Database = {
  /** Returns a server, made on first use. Every scenario begins with server 0. */
  server(no: number): Promise<Server>;
  /** The tables that hold data. */
  readonly tables: readonly string[];
  /** Empties the databases in use, and gives their offices the clocks of the next world. */
  empty(clock: Clock, databaseClock: Clock): Promise<void>;
  close(): Promise<void>;
};

export type Server = {
  readonly no: number;
  readonly url: string;
  /** A ledger for observers outside the world and for its operators. It never dies. */
  readonly office: Ledger;
  /** Waits until the server has seen every connection of this name go, so that their locks are free. */
  awaitLeft(name: string): Promise<void>;
  /** Cuts all connections of this name, including those in use. */
  cut(name: string): Promise<void>;
};

/**
 * Ends a wait for a lock whose holder continues only after the waiting side, as when one instance acts in the middle of
 * another's step.
 */
const LOCK_TIMEOUT_MS = 1_000;

/** Deleted rows leave gaps; a TRUNCATE now and then keeps the tables small. */
const TRUNCATE_EVERY = 100;

/** Tables that belong to the schema and are not emptied. */
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

/** Resets the ledger to its state after creation, in this run of the server. */
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
  // Observers must not block a restore.
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
