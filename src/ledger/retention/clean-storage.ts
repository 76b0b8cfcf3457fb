import type { PoolClient, QueryConfig } from 'pg';
import { reasonOf } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { tryLock } from '../engine/with-lock.ts';

/** Tables whose deleted rows must not stay readable in the database files. */
export const CLEANED_TABLES = ['file_secret', 'row_fingerprint'] as const;
type CleanedTable = (typeof CLEANED_TABLES)[number];

/** What a cleaning may cost. */
export type CleaningLimits = {
  /** A larger table, with its indexes, is left alone. */
  mostBytes: number;
  /** A larger table is rewritten once a day, not once an hour. */
  smallBytes: number;
  /** Longest wait for the lock, in ms: all other users of the table wait behind it. */
  lockMs: number;
  /** Longest time of one statement, and so of the lock, in ms. */
  statementMs: number;
};

const MB = 1024 * 1024;
/** While payments are in progress. */
export const IN_PASSING: CleaningLimits = {
  mostBytes: 128 * MB,
  smallBytes: 16 * MB,
  lockMs: 250,
  statementMs: 60_000,
};

/** At an hour that an operator chose. */
export const IN_A_QUIET_HOUR: CleaningLimits = {
  mostBytes: Number.POSITIVE_INFINITY,
  smallBytes: Number.POSITIVE_INFINITY,
  lockMs: 10_000,
  statementMs: 3_600_000,
};

/** Where a cleaning is valid: this server, these tables. */
export const CLEANING_PLACE = `(SELECT system_identifier || '/' || 'file_secret'::regclass::oid || '/' || 'row_fingerprint'::regclass::oid
                FROM pg_control_system())`;

/**
 * Removes destroyed data from the database files. DELETE and plain VACUUM leave the bytes of a row in dead rows and
 * page gaps. A table rewritten by VACUUM FULL lies in new files, and the old ones are gone.
 *
 * A table counts as clean only with proof, in this order. First, the oldest transaction that may be in it
 * (`relfrozenxid`) is younger than what was destroyed. So no dead row is left, even for an old snapshot. Then the table
 * gets a new file. What cannot be done now is recorded with its reason, and the next run tries again.
 * @returns for each table with something to clean: undefined when it is clean, or why it is not
 */
export async function cleanStorage(
  ledger: Ledger,
  limits: CleaningLimits = IN_PASSING,
): Promise<Partial<Record<CleanedTable, string | undefined>>> {
  const done = await tryLock(ledger, 'clean-storage', async () => {
    await noteDestroyed(ledger);
    const found: Partial<Record<CleanedTable, string | undefined>> = {};
    for (const { table, ...state } of await readOpenTables(ledger)) {
      found[table] = limitOf(state, limits) ?? (await cleanTable(ledger, table, limits));
      if (found[table] === undefined) continue;
      const noteReason = 'UPDATE cleaning SET why = $2 WHERE table_name = $1 AND cleaned_at IS NULL';
      await ledger.pool.query(noteReason, [table, found[table]]);
    }
    await watchLog(ledger);
    return found;
  });
  return done?.result ?? {};
}

/**
 * Numbers what was destroyed since the last time. The statement's snapshot is older than its transaction number, so
 * transactions with smaller numbers destroyed what it sees. Records of another server or of tables put aside are void.
 */
async function noteDestroyed({ pool, clock }: Ledger): Promise<void> {
  await pool.query(
    `WITH void AS (DELETE FROM cleaning WHERE place <> ${CLEANING_PLACE} RETURNING cleaning_no)
     UPDATE file SET cleaning_no = NULL WHERE cleaning_no IN (SELECT cleaning_no FROM void)`,
  );
  await pool.query(
    `WITH destroyed AS MATERIALIZED (
       SELECT file_no FROM file WHERE fingerprints_dropped_at IS NOT NULL AND cleaning_no IS NULL
     ), next AS MATERIALIZED (
       SELECT nextval(pg_get_serial_sequence('cleaning', 'cleaning_no')) AS no WHERE EXISTS (SELECT FROM destroyed)
     ), noted AS (
       INSERT INTO cleaning (cleaning_no, table_name, place, after_xid, noted_at)
       SELECT no, name, ${CLEANING_PLACE}, pg_current_xact_id(), $1 FROM next, unnest($2::text[]) AS name
     )
     UPDATE file SET cleaning_no = next.no FROM next, destroyed WHERE file.file_no = destroyed.file_no`,
    [clock.now(), CLEANED_TABLES],
  );
}

type TableState = { bytes: number; cleanedToday: boolean };

async function readOpenTables({ pool, clock }: Ledger): Promise<(TableState & { table: CleanedTable })[]> {
  const { rows } = await pool.query<TableState & { table: CleanedTable }>(
    `SELECT table_name AS table, pg_total_relation_size(table_name::regclass) AS bytes,
            coalesce(max(cleaned_at) > $1::timestamptz - interval '1 day', false) AS "cleanedToday"
     FROM cleaning GROUP BY table_name HAVING bool_or(cleaned_at IS NULL) ORDER BY table_name`,
    [clock.now()],
  );
  return rows;
}

function limitOf({ bytes, cleanedToday }: TableState, { mostBytes, smallBytes }: CleaningLimits): string | undefined {
  const size = `${Math.ceil(bytes / MB)} MB`;
  if (bytes > mostBytes) return `at ${size} the table is too large to be rewritten automatically`;
  if (bytes > smallBytes && cleanedToday) return `at ${size} the table is rewritten once a day`;
  return undefined;
}

/** @returns why the table is not clean, or undefined */
async function cleanTable(ledger: Ledger, table: CleanedTable, limits: CleaningLimits): Promise<string | undefined> {
  const client = await ledger.pool.connect();
  const warnings: string[] = [];
  client.on('notice', ({ severity, message }) => {
    if (severity === 'WARNING' && message) warnings.push(message);
  });
  try {
    await client.query(`SET lock_timeout = ${limits.lockMs}`);
    await client.query(`SET statement_timeout = ${limits.statementMs}`);
    const vacuum = (options: string) => client.query(unhurried(`VACUUM (${options}) ${table}`, limits));
    await vacuum('FREEZE, TRUNCATE false');
    const { proved, file } = await readProved(client, table);
    if (warnings[0] !== undefined) return warnings[0];
    if (proved.length === 0) return OLD_SNAPSHOT;
    await vacuum('FULL');
    if (warnings[0] !== undefined) return warnings[0];
    return (await noteCleaned(client, { table, proved, file, at: ledger.clock.now() })) ? undefined : NOT_REWRITTEN;
  } catch (error) {
    return reasonOf(error);
  } finally {
    // The settings end with the connection.
    client.release(true);
  }
}

/** Gives the connection a longer limit than the statement, so that the server is the one to end it. */
function unhurried(text: string, { statementMs }: CleaningLimits): QueryConfig {
  return { text, query_timeout: statementMs + 10_000 } as QueryConfig;
}

const OLD_SNAPSHOT = 'an older transaction, a standby or a replication slot may still read what was deleted';
const NOT_REWRITTEN = 'VACUUM FULL did not give the table a new file';

/** Returns the cleanings without a dead row left in the table, and the table's current file. */
async function readProved(client: PoolClient, table: CleanedTable): Promise<{ proved: number[]; file: number }> {
  const { rows } = await client.query<{ proved: number[]; file: number }>(
    `SELECT pg_relation_filenode(c.oid)::bigint AS file,
            ARRAY(SELECT cleaning_no::int FROM cleaning WHERE table_name = $1 AND cleaned_at IS NULL
                  AND age(c.relfrozenxid) <= age(after_xid::xid)) AS proved
     FROM pg_class c WHERE c.oid = $1::regclass`,
    [table],
  );
  return rows[0]!;
}

/** Marks cleanings as done. From here on the bytes cannot enter the write-ahead log: no page holds them any more. */
async function noteCleaned(
  client: PoolClient,
  { table, proved, file, at }: { table: CleanedTable; proved: readonly number[]; file: number; at: Date },
): Promise<boolean> {
  const { rowCount } = await client.query(
    `UPDATE cleaning SET cleaned_at = $4, why = NULL, log_end = pg_current_wal_insert_lsn()
     WHERE table_name = $1 AND cleaning_no = ANY ($2) AND pg_relation_filenode($1::regclass) <> $3`,
    [table, proved, file, at],
  );
  return rowCount !== 0;
}

/**
 * Finds out since when the server's write-ahead log holds nothing that was destroyed. PostgreSQL does not erase a log
 * file: it renames it to a later name and overwrites it when the log gets there.
 *
 * Two scans prove it. The first succeeds when no file has a name from before the cleaning. Old bytes are then in files
 * up to the last name of that moment. The second succeeds when the log was written past that name. Every file there was
 * then overwritten from beginning to end.
 */
export async function watchLog({ pool, clock }: Ledger): Promise<void> {
  const { rows } = await pool.query<{ waiting: boolean; mayList: boolean; maySwitch: boolean }>(
    `SELECT EXISTS (SELECT FROM cleaning WHERE cleaned_at IS NOT NULL AND log_over_at IS NULL) AS waiting,
            has_function_privilege('pg_ls_waldir()', 'EXECUTE') AS "mayList",
            has_function_privilege('pg_switch_wal()', 'EXECUTE') AND current_setting('archive_mode') = 'off'
              AND NOT EXISTS (SELECT FROM pg_replication_slots) AND NOT EXISTS (SELECT FROM pg_stat_replication) AS "maySwitch"`,
  );
  const { waiting, mayList, maySwitch } = rows[0]!;
  if (!waiting || !mayList) return;
  await pool.query(
    `UPDATE cleaning SET log_over_at = $1
     WHERE cleaned_at IS NOT NULL AND log_over_at IS NULL AND left(log_last, 8) = ${TIMELINE} AND ${CURRENT} > right(log_last, 16)`,
    [clock.now()],
  );
  await pool.query(
    `WITH one AS MATERIALIZED (${LISTED}), two AS MATERIALIZED (${LISTED}), seen AS (
       SELECT min(file) AS first, max(file) AS last FROM (SELECT file FROM one UNION ALL SELECT file FROM two) both_looks
     )
     UPDATE cleaning SET log_last = ${TIMELINE} || seen.last FROM seen
     WHERE cleaned_at IS NOT NULL AND log_over_at IS NULL AND coalesce(left(log_last, 8) <> ${TIMELINE}, true)
       AND seen.first > right(pg_walfile_name(log_end), 16)`,
  );
  // A nearly idle server would take weeks to fill its files. This fills one an hour, with zeros.
  if (maySwitch) await pool.query('SELECT pg_switch_wal()');
}

/** The log files without their timeline. Listed twice, because one listing may miss a file being renamed. */
const LISTED = `SELECT right(name, 16) AS file FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'`;
const CURRENT_NAME = 'pg_walfile_name(pg_current_wal_lsn())';
const CURRENT = `right(${CURRENT_NAME}, 16)`;
const TIMELINE = `left(${CURRENT_NAME}, 8)`;

/** Whether the database files are free of something that was destroyed. */
export type Cleaning = {
  /** Since when no database file holds it; null when that is not proved. */
  cleanedAt: Date | null;
  /** Why that is not proved. */
  why: string | null;
  /** Since when no file of the server's write-ahead log holds it either; null when that is not proved. */
  logOverAt: Date | null;
};

/** Returns SQL for the cleaning of one table for a file in `f`, as JSON with the keys of `Cleaning`. */
export function cleaningOf(table: CleanedTable): string {
  return `(SELECT json_build_object('cleanedAt', c.cleaned_at, 'why', c.why, 'logOverAt', c.log_over_at) FROM cleaning c
           WHERE c.cleaning_no = f.cleaning_no AND c.table_name = '${table}' AND c.place = ${CLEANING_PLACE})`;
}

/** Converts JSON of the database, where times are text. */
export function readCleaning(found: Record<keyof Cleaning, string | null> | null): Cleaning {
  if (!found) return { cleanedAt: null, why: 'not tried yet', logOverAt: null };
  const { cleanedAt, why, logOverAt } = found;
  return {
    cleanedAt: dateOf(cleanedAt),
    why: cleanedAt === null ? (why ?? 'not tried yet') : null,
    logOverAt: dateOf(logOverAt),
  };
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/** What else a report on destroyed keys must know about the database. */
export type DatabaseState = {
  /** Whether our role may list the files of the write-ahead log. */
  mayListLog: boolean;
  /** Schemas of ledgers that `restore --replace` put aside, with all their keys. */
  setAside: string[];
};

export async function readDatabaseState({ pool }: Ledger): Promise<DatabaseState> {
  const { rows } = await pool.query<DatabaseState>(
    `SELECT has_function_privilege('pg_ls_waldir()', 'EXECUTE') AS "mayListLog",
            ARRAY(SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'paydrop\\_before\\_%' ORDER BY 1) AS "setAside"`,
  );
  return rows[0]!;
}

/** A table that still has to be rewritten. `since` is when the first of what was destroyed was recorded. */
export type OpenCleaning = { table: CleanedTable; files: number; since: Date; why: string | null };

/** Returns the tables whose files are not proved to be free of what was recorded as destroyed before a moment. */
export async function readOpenCleanings({ pool }: Ledger, before: Date): Promise<OpenCleaning[]> {
  const { rows } = await pool.query<OpenCleaning>(
    `SELECT c.table_name AS table, count(f.file_no)::int AS files, min(c.noted_at) AS since, max(c.why) AS why
     FROM cleaning c JOIN file f USING (cleaning_no)
     WHERE c.cleaned_at IS NULL AND c.noted_at < $1 AND c.place = ${CLEANING_PLACE}
     GROUP BY c.table_name ORDER BY c.table_name`,
    [before],
  );
  return rows;
}
