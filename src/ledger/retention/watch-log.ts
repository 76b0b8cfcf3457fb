import type { Ledger } from '../engine/open-ledger.ts';

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
