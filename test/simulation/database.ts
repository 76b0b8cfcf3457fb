import type { Pool } from 'pg';
import type { Clock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { type Ledger, openLedger } from '../../src/ledger/engine/open-ledger.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../schemas/operations.ts';
import { startTestPostgres, urlOf } from '../support/postgres.ts';
import { freeSessions, keepSessionsWarm } from '../support/warm-connections.ts';
import { bookRows } from './services.ts';
import type { World } from './world.ts';

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
const KEPT = ['migration', 'legal_move', 'admission'];

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
           SELECT setval('audit_seq', 0); ${NEW_LEDGER} COMMIT`,
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
  // Instances live briefly. A session of their own for each would plan all functions anew, which takes most of the time.
  const host = postgres.connection.host.replace(/\/\.$/, '');
  keepSessionsWarm(host);
  const url = urlOf({ ...postgres.connection, host });
  const office = await openLedger({ url }, { ...clocks, log: silentLog() });
  const awaitLeft = async (instance: string) => {
    for (;;) {
      const { rowCount } = await office.pool.query(
        `SELECT 1 FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = $1 AND pid <> ALL ($2)`,
        [instance, freeSessions()],
      );
      if (rowCount === 0) return;
    }
  };
  // Observers must not block a restore.
  await office.instance.leave();
  return {
    no,
    url,
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

/** All rows of a ledger at one moment, and the last values of its sequences. */
export type LedgerCopy = { readonly rows: string; readonly sequences: string };

/** Copies a ledger as pg_basebackup, a disk snapshot or a lagging replica would. */
export async function copyLedger(pool: Pool): Promise<LedgerCopy> {
  const { rows } = await pool.query<LedgerCopy>('SELECT * FROM public.copy_ledger()');
  return rows[0]!;
}

/** Replaces the present rows with those of a copy, and begins another run of the server, as each start does. */
export async function putLedger(pool: Pool, { rows, sequences }: LedgerCopy): Promise<void> {
  await pool.query('SELECT public.put_ledger($1, $2)', [rows, sequences]);
}

/** Does to a ledger what a restart of its server does. */
export async function restartServer(pool: Pool): Promise<void> {
  await pool.query('SELECT public.begin_other_run()');
}

/**
 * Functions outside the ledger's schema, so that they are not copied with it. Writes run without triggers, including
 * those of foreign keys. The server's start time cannot be set, so the recorded run moves back by a second each time.
 */
const COPYING = `
CREATE FUNCTION public.begin_other_run() RETURNS void LANGUAGE plpgsql SET session_replication_role = replica AS $$
BEGIN
  UPDATE paydrop.admission SET run_started = run_started - interval '1 s', made_in = made_in - interval '1 s';
END $$;

CREATE FUNCTION public.copy_ledger(OUT rows text, OUT sequences text) LANGUAGE plpgsql AS $$
DECLARE
  parts text;
BEGIN
  SELECT string_agg(format('jsonb_build_object(%L, (SELECT jsonb_agg(to_jsonb(t)) FROM paydrop.%I t))', tablename, tablename), ' || ')
    INTO parts FROM pg_tables WHERE schemaname = 'paydrop' AND tablename <> ALL (ARRAY['migration', 'legal_move']);
  SELECT 'jsonb_build_object(' || string_agg(format('%L, (SELECT last_value FROM paydrop.%I)', sequencename, sequencename), ', ') || ')'
    INTO sequences FROM pg_sequences WHERE schemaname = 'paydrop';
  EXECUTE format('SELECT %s, %s', parts, sequences) INTO rows, sequences;
END $$;

CREATE FUNCTION public.put_ledger(p_rows text, p_sequences text) RETURNS void
LANGUAGE plpgsql SET session_replication_role = replica SET lock_timeout = '5s' AS $$
DECLARE
  part record;
BEGIN
  -- What another process commits in between would stay in the tables that are put back first.
  EXECUTE (SELECT 'LOCK TABLE ' || string_agg(format('paydrop.%I', tablename), ', ') || ' IN SHARE ROW EXCLUSIVE MODE'
           FROM pg_tables WHERE schemaname = 'paydrop');
  FOR part IN SELECT key, value FROM jsonb_each(p_rows::jsonb) LOOP
    EXECUTE format('DELETE FROM paydrop.%I', part.key);
    IF part.value <> 'null' THEN
      EXECUTE format('INSERT INTO paydrop.%1$I OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_recordset(NULL::paydrop.%1$I, $1)',
                     part.key) USING part.value;
    END IF;
  END LOOP;
  FOR part IN SELECT key, value FROM jsonb_each_text(p_sequences::jsonb) LOOP
    PERFORM setval(format('paydrop.%I', part.key)::regclass, part.value::bigint);
  END LOOP;
  PERFORM public.begin_other_run();
END $$;
`;

/** A batch as the ledger holds it, read without product code, with what was recorded about it. */
export type SeenBatch = {
  fileId: string;
  name: string;
  batchNo: number;
  account: string;
  /** Keyed mark of the merchant that it was taken for. */
  merchantMark: string;
  country: string;
  currency: string;
  operation: FolderOperation;
  state: string;
  batchId: string | null;
  /** Attempts not proven to have sent nothing. */
  sends: number;
  /** Recorded resolutions that allow another send although the batch may have been sent before. */
  pardons: number;
  lastMove: string | null;
  /** Its rows in order, each with invoice, cents and customer code. */
  rows: string;
};

export async function readBatches(world: World): Promise<SeenBatch[]> {
  const { rows } = await world.office.pool.query<SeenBatch>(
    `SELECT b.file_id AS "fileId", f.name, b.batch_no AS "batchNo", b.account, ${MARK} AS "merchantMark",
            a.country, a.currency, b.operation, b.state, b.batch_id AS "batchId",
            (SELECT count(*)::int FROM attempt t WHERE t.file_id = b.file_id AND t.batch_no = b.batch_no
               AND t.verdict IS DISTINCT FROM 'not_sent') AS sends,
            (SELECT count(*)::int FROM audit a WHERE a.file_id = b.file_id AND a.batch_no = b.batch_no
               AND a.move = 'absolve') AS pardons,
            (SELECT a.to_state FROM audit a WHERE a.file_id = b.file_id AND a.batch_no = b.batch_no
               AND a.to_state IS NOT NULL ORDER BY a.seq DESC LIMIT 1) AS "lastMove",
            (SELECT string_agg(concat_ws('|', r.invoice, r.amount_cents, r.customer_code), ';' ORDER BY r.line)
               FROM payment_row r WHERE r.file_no = f.file_no AND r.batch_no = b.batch_no) AS rows
     FROM batch b JOIN file f USING (file_id) JOIN account a ON a.account = b.account ORDER BY f.file_no, b.batch_no`,
  );
  return rows;
}

/** SQL: a mark of the merchant of file `f`. One that is reached at several addresses has several. */
export const MARK = '(SELECT min(p.mark) FROM merchant_address p WHERE p.merchant_no = f.merchant_no)';

/** Returns whom the services charge for a file, whatever paydrop calls it. */
export function payeeOf({ payees }: World, { merchantMark }: { merchantMark: string }): string {
  const payee = payees.get(merchantMark);
  if (payee === undefined) throw new Error('the ledger knows a merchant that no configuration had');
  return payee;
}

/** Returns what identifies the content of a batch: payee, operation, and its rows in order. */
export function contentOf(world: World, batch: SeenBatch): string {
  return [payeeOf(world, batch), FOLDER_OPERATIONS[batch.operation].operation.toLowerCase(), batch.rows].join(' ');
}

type BookedBatch = { batchId: string; content: string };

/** Returns the batches that the services have taken, from their books alone. */
export function readBooks(world: World): BookedBatch[] {
  const batches = new Map<string, { batchId: string; head: string; rows: string[] }>();
  for (const row of bookRows(world.services)) {
    const key = `${row.account} ${row.batchId}`;
    const batch = batches.get(key) ?? {
      batchId: row.batchId,
      head: `${row.account} ${row.operation.toLowerCase()}`,
      rows: [],
    };
    batch.rows.push([row.invoice, row.amountCents, row.customerCode].join('|'));
    batches.set(key, batch);
  }
  return [...batches.values()].map(({ batchId, head, rows }) => ({ batchId, content: `${head} ${rows.join(';')}` }));
}
