import { CLEANING_PLACE, type CleanedTable } from './clean-storage.ts';
import type { Ledger } from '../engine/open-ledger.ts';

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
