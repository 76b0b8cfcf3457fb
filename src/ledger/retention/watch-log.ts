import type { Ledger } from '../engine/open-ledger.ts';

/**
 * Finds out since when the write-ahead log of the server holds nothing any more that was destroyed. PostgreSQL does not erase a
 * file of its log: it gives it a later name and writes over it when the log gets there.
 *
 * Two looks prove it. The first comes when no file is left under a name from before the cleaning: old bytes then lie in files
 * up to the last name of that moment. The second comes when the log was written past that name. Every file that is there was
 * then written over from its beginning to its end.
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
  // A server with little to do would take weeks to fill its files. This fills one an hour, with zeros.
  if (maySwitch) await pool.query('SELECT pg_switch_wal()');
}

/** The files of the log without their timeline. Listed twice, because one that gets its new name meanwhile may be missed once. */
const LISTED = `SELECT right(name, 16) AS file FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'`;
const CURRENT_NAME = 'pg_walfile_name(pg_current_wal_lsn())';
const CURRENT = `right(${CURRENT_NAME}, 16)`;
const TIMELINE = `left(${CURRENT_NAME}, 8)`;
