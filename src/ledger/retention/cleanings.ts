import { CLEANING_PLACE, type CleanedTable } from './clean-storage.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** Whether the files of the database are rid of something that was destroyed. */
export type Cleaning = {
  /** Since when no file of the database holds it; null when that is not proved. */
  cleanedAt: Date | null;
  /** Why it is not. */
  why: string | null;
  /** Since when no file of the server's write-ahead log holds it either; null when that is not proved. */
  logOverAt: Date | null;
};

/** SQL: the cleaning of one table for a file in `f`, as JSON with the keys of `Cleaning`. */
export function cleaningOf(table: CleanedTable): string {
  return `(SELECT json_build_object('cleanedAt', c.cleaned_at, 'why', c.why, 'logOverAt', c.log_over_at) FROM cleaning c
           WHERE c.cleaning_no = f.cleaning_no AND c.table_name = '${table}' AND c.place = ${CLEANING_PLACE})`;
}

/** JSON of the database has its times as text. */
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

/** What a report on destroyed keys must know of the database besides. */
export type DatabaseState = {
  /** Whether our role may list the files of the write-ahead log. */
  mayListLog: boolean;
  /** Schemas of ledgers that were put aside by `restore --replace`, with all their keys. */
  setAside: string[];
};

export async function readDatabaseState({ pool }: Ledger): Promise<DatabaseState> {
  const { rows } = await pool.query<DatabaseState>(
    `SELECT has_function_privilege('pg_ls_waldir()', 'EXECUTE') AS "mayListLog",
            ARRAY(SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'paydrop\\_before\\_%' ORDER BY 1) AS "setAside"`,
  );
  return rows[0]!;
}

/** A table that should have been rewritten since things were destroyed. `since` is when the first of them was noted. */
export type OpenCleaning = { table: CleanedTable; files: number; since: Date; why: string | null };

/** Tables whose files are not proved to be rid of what was destroyed before a moment. */
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
