import type { Clock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { type Ledger, openLedger } from '../../src/ledger/open-ledger.ts';
import { startTestPostgres } from '../support/postgres.ts';

/** One database for all scenarios of this process. It is emptied between them, which is quicker than a fresh one. */
export type Database = {
  readonly url: string;
  /** A ledger for whoever looks at the world from outside, and for its operators. It never dies. */
  readonly office: Ledger;
  /** All that hold data. */
  readonly tables: readonly string[];
  /** Empties it, and hands the office to the next world. */
  empty(clock: Clock, databaseClock: Clock): Promise<void>;
  /** Waits until the server has seen that everybody of this name is gone, so that their locks are free. */
  awaitLeft(name: string): Promise<void>;
  close(): Promise<void>;
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
  const postgres = await startTestPostgres();
  let clock: Clock = { now: () => new Date(0) };
  let databaseClock = clock;
  const setting = await openLedger({ url: postgres.url }, { clock, log: silentLog() });
  const name = postgres.connection.database;
  await setting.pool.query(`ALTER DATABASE ${name} SET lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
  await setting.close();
  const office = await openLedger(
    { url: postgres.url },
    { clock: { now: () => clock.now() }, databaseClock: { now: () => databaseClock.now() }, log: silentLog() },
  );
  const { rows } = await office.pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'paydrop' AND tablename <> ALL ($1)`,
    [KEPT],
  );
  const tables = rows.map((row) => row.name);
  let emptied = 0;
  return {
    url: postgres.url,
    office,
    tables,
    empty: async (next, nextOfDatabase) => {
      clock = next;
      databaseClock = nextOfDatabase;
      emptied += 1;
      const deletes = tables.map((table) => `DELETE FROM ${table};`).join(' ');
      const how = emptied % TRUNCATE_EVERY === 0 ? `TRUNCATE ${tables.join(', ')};` : deletes;
      await office.pool.query(
        `BEGIN; SET LOCAL session_replication_role = replica; SET LOCAL lock_timeout = '5s'; ${how}
         UPDATE audit_head SET seq = 0, hash = '\\x00'; COMMIT`,
      );
    },
    awaitLeft: async (instance) => {
      for (;;) {
        const { rowCount } = await office.pool.query(
          'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
          [instance],
        );
        if (rowCount === 0) return;
      }
    },
    close: async () => {
      await office.close();
      await postgres.stop();
    },
  };
}
