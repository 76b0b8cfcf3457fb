import { IS_OPEN, IS_SENDABLE, IS_TAKEN } from '../batch/conditions.ts';
import { readOpenLate } from '../file/late-arrivals.ts';
import type { AlarmKind } from '../../../schemas/alarms.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { IS_PAID, readPaidTwice } from '../duplicates/read-double-charges.ts';
import { IS_OPEN_RUN } from '../schedule/read-runs.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** Ids, counts and cents for the message of an alarm; never row data or names. */
export type AlarmFigures = {
  fileId?: string;
  batchNo?: number;
  rows?: number;
  cents?: number;
  /** How many of the rows have an unreadable amount. */
  unreadable?: number;
  code?: string | null;
  minutes?: number;
  /** Number of pieces of work, the message about the first, and the remedy. */
  count?: number;
  says?: string;
  next?: string;
  batches?: number;
  outcomes?: Record<string, { rows: number; cents: number }>;
  /** An import profile, its version, the version before, and the ids of its folders. */
  profile?: string;
  version?: number;
  replaces?: number | null;
  folders?: string[];
};

/** Why an alarm is due. `subject` distinguishes the causes of one kind. */
export type AlarmCause = { kind: AlarmKind; subject: string; account: string | null; figures: AlarmFigures };

/** Returns every lasting cause that exists in the ledger now. The indexes of open items serve all of these queries. */
export async function findLastingCauses(ledger: Ledger): Promise<AlarmCause[]> {
  const { rows } = await ledger.pool.query<AlarmCause>(
    `SELECT 'file_held' AS kind, file_id AS subject, account,
            jsonb_build_object('fileId', file_id, 'rows', coalesce(valid_rows, 0), 'cents', coalesce(valid_cents, 0),
                               'code', reason_code) AS figures
     FROM file WHERE state = 'held'
     UNION ALL
     SELECT CASE state WHEN 'unknown' THEN 'batch_unknown' WHEN 'exception' THEN 'exception' ELSE 'result_overdue' END,
            file_id || '/' || batch_no, account,
            jsonb_build_object('fileId', file_id, 'batchNo', batch_no, 'rows', rows, 'cents', cents)
     FROM batch WHERE ${IS_OPEN}
       AND (state IN ('unknown', 'exception') OR (state = 'submitted' AND stale_since IS NOT NULL))
     UNION ALL
     SELECT 'paid_meanwhile', file_id || '/' || batch_no, account,
            jsonb_build_object('fileId', file_id, 'batchNo', batch_no, 'rows', rows, 'cents', cents)
     FROM batch WHERE ${IS_PAID}
     UNION ALL
     SELECT 'rows_undecided', file_id || '/' || batch_no, account,
            jsonb_build_object('fileId', file_id, 'batchNo', batch_no, 'rows', count(*), 'cents', sum(amount_cents))
     FROM unknown_row WHERE NOT is_closed GROUP BY file_id, batch_no, account
     UNION ALL
     SELECT 'account_stopped', stopped.account, nullif(stopped.account, '*'),
            jsonb_build_object('batches', count(b.*), 'rows', coalesce(sum(b.rows), 0), 'cents', coalesce(sum(b.cents), 0))
     FROM (SELECT account FROM account_stop
           UNION SELECT account FROM batch WHERE ${IS_OPEN} AND state = 'refused') stopped
     LEFT JOIN batch b ON (b.account = stopped.account OR stopped.account = '*'
         OR b.merchant_no = (SELECT a.merchant_no FROM account a WHERE a.account = stopped.account))
       AND b.${IS_OPEN} AND b.state IN ('ready', 'refused')
     GROUP BY stopped.account`,
  );
  const late = await readOpenLate(ledger);
  return [
    ...rows,
    ...late.map(({ fileId, account, rows: count, cents, says }): AlarmCause => {
      return { kind: 'came_late', subject: fileId, account, figures: { fileId, rows: count, cents, says } };
    }),
    ...(await findTwice(ledger)),
  ];
}

/** Finds the batches with payments that were perhaps made twice. */
async function findTwice(ledger: Ledger): Promise<AlarmCause[]> {
  const pairs = await readPaidTwice(ledger);
  return [...groupBy(pairs, ({ row }) => `${row.fileId}/${row.batchNo}`)].map(([subject, own]) => {
    const { fileId, batchNo } = own[0]!.row;
    const cents = own.reduce((sum, { row, other }) => sum + (row.cents ?? other.cents ?? 0), 0);
    return {
      kind: 'perhaps_twice',
      subject,
      account: own[0]!.account,
      figures: { fileId, batchNo, rows: own.length, cents },
    };
  });
}

/**
 * Finds accounts with a submitted batch that was due before `dueBefore` and not polled. Failing polls show up as
 * failing work; each of their slow calls would raise and clear this alarm.
 */
export async function findUnasked(ledger: Ledger, dueBefore: Date): Promise<AlarmCause[]> {
  const { rows } = await ledger.pool.query<AlarmCause>(
    `SELECT 'silence' AS kind, 'polls:' || account AS subject, account,
            jsonb_build_object('batches', count(*), 'rows', sum(rows), 'cents', sum(cents)) AS figures
     FROM batch WHERE ${IS_OPEN} AND state = 'submitted'
       AND coalesce(next_poll_at, submitted_at, state_at) < $1
       AND NOT EXISTS (SELECT FROM failing_work w
                       WHERE w.work = 'poll' AND w.subject = batch.account AND w.expires_at >= $2)
     GROUP BY account`,
    [dueBefore, ledger.clock.now()],
  );
  return rows;
}

/** So many releases without a send, which take about ten minutes (commit-send.ts), are no passing problem. */
const MANY_RELEASES = 10;

/** Finds accounts whose batches are released repeatedly before a byte leaves. Batches of held files do not count. */
export async function findUnreached(ledger: Ledger): Promise<AlarmCause[]> {
  const { rows } = await ledger.pool.query<AlarmCause>(
    `SELECT 'not_reached' AS kind, b.account AS subject, b.account,
            jsonb_build_object('batches', count(*), 'rows', sum(b.rows), 'cents', sum(b.cents)) AS figures
     FROM batch b JOIN file f USING (file_id)
     WHERE b.${IS_OPEN} AND b.state IN ('ready', 'sending')
       AND f.${IS_SENDABLE}
     GROUP BY b.account HAVING max(b.releases) >= $1`,
    [MANY_RELEASES],
  );
  return rows;
}

/** Returns the accounts that `findUnreached` finds, without their figures; it does not look up a file. */
export async function listUnreached(ledger: Ledger): Promise<string[]> {
  const { rows } = await ledger.pool.query<{ account: string }>(
    `SELECT DISTINCT account FROM batch
     WHERE ${IS_OPEN} AND state IN ('ready', 'sending') AND releases >= $1`,
    [MANY_RELEASES],
  );
  return rows.map(({ account }) => account);
}

/**
 * Finds runs of these schedules and expectations, due from `since` on, that were missed or failed. A user who
 * acknowledges the run clears its cause, and so does an expected file that arrived late. The subject ends with the business date.
 */
export async function findLate(ledger: Ledger, schedules: readonly string[], since: Date): Promise<AlarmCause[]> {
  const { rows } = await ledger.pool.query<AlarmCause>(
    `SELECT 'late' AS kind, r.schedule || ' ' || r.business_date AS subject, NULL AS account, '{}'::jsonb AS figures
     FROM schedule_run r
     WHERE r.schedule = ANY ($1) AND ${IS_OPEN_RUN} AND r.due_at >= $2 AND r.due_at <= $3
       AND NOT EXISTS (SELECT 1 FROM file f
                       WHERE r.schedule = 'expect:' || f.folder AND f.folder = substr(r.schedule, 8)
                         AND f.claimed_at > r.due_at)
     ORDER BY r.due_at, r.schedule LIMIT 200`,
    [schedules, since, ledger.clock.now()],
  );
  return rows;
}

/** Finds files with withheld rows that were claimed since the alarm watch began and have no alarm yet. */
export async function findWithheld(ledger: Ledger): Promise<AlarmCause[]> {
  const { rows } = await ledger.pool.query<AlarmCause>(
    `SELECT 'rows_withheld' AS kind, f.file_id AS subject, f.account,
            jsonb_build_object('fileId', f.file_id, 'rows', f.invalid_rows, 'cents', f.withheld_cents,
              'unreadable', f.withheld_unreadable) AS figures
     FROM file f
     WHERE f.invalid_rows > 0 AND f.${IS_TAKEN}
       AND f.claimed_at >= (SELECT began_at FROM alarm_watch) AND f.claimed_at > $1::timestamptz - interval '7 days'
       AND NOT EXISTS (SELECT 1 FROM alarm a WHERE a.kind = 'rows_withheld' AND a.subject = f.file_id)
     ORDER BY f.claimed_at, f.file_no LIMIT 1000`,
    [ledger.clock.now()],
  );
  return rows;
}

/**
 * Finds files that ended since the alarm watch began and have no alarm yet. Sorted by end; sorting by claim would make
 * PostgreSQL go through all files ever received.
 */
export async function findEndedFiles(ledger: Ledger, kind: 'file_done' | 'file_refused'): Promise<AlarmCause[]> {
  const { rows } = await ledger.pool.query<AlarmCause>(
    `SELECT $1::text AS kind, f.file_id AS subject, f.account,
            jsonb_build_object('fileId', f.file_id, 'rows', coalesce(f.valid_rows, 0), 'cents', coalesce(f.valid_cents, 0),
              'code', f.reason_code, 'outcomes', coalesce((
                SELECT jsonb_object_agg(o.outcome, jsonb_build_object('rows', o.rows, 'cents', o.cents))
                FROM (SELECT outcome, sum(rows) AS rows, sum(cents) AS cents FROM batch_outcome
                      WHERE file_no = f.file_no GROUP BY outcome) o), '{}')) AS figures
     FROM file f
     WHERE f.state = ANY ($2) AND f.state_at >= (SELECT began_at FROM alarm_watch)
       AND f.state_at > $3::timestamptz - interval '7 days'
       AND NOT EXISTS (SELECT 1 FROM alarm a WHERE a.kind = $1 AND a.subject = f.file_id)
     ORDER BY f.state_at, f.file_no LIMIT 1000`,
    [kind, kind === 'file_done' ? ['completed', 'partly_cancelled'] : ['rejected'], ledger.clock.now()],
  );
  return rows;
}

/** Finds versions of these profiles that were confirmed since the alarm watch began and have no alarm yet. */
export async function findConfirmedVersions(ledger: Ledger, profiles: readonly string[]): Promise<AlarmCause[]> {
  if (profiles.length === 0) return [];
  const { rows } = await ledger.pool.query<AlarmCause>(
    `SELECT 'profile_changed' AS kind, v.name || '/' || v.version AS subject, NULL AS account,
            jsonb_build_object('profile', v.name, 'version', v.version, 'replaces', b.version) AS figures
     FROM profile_version v LEFT JOIN profile_version b ON b.profile_no = v.replaces
     WHERE v.name = ANY ($1) AND v.confirmed_at >= (SELECT began_at FROM alarm_watch)
       AND v.confirmed_at > $2::timestamptz - interval '7 days'
       AND NOT EXISTS (SELECT 1 FROM alarm a
                       WHERE a.kind = 'profile_changed' AND a.subject = v.name || '/' || v.version)
     ORDER BY v.confirmed_at, v.profile_no LIMIT 1000`,
    [profiles, ledger.clock.now()],
  );
  return rows;
}

type StrayAccount = { account: string; files: number; batches: number; rows: number; cents: number };

/** Counts, by account, what is open for accounts other than these. Money is integer cents. */
export async function countStray(ledger: Ledger, accounts: readonly string[]): Promise<StrayAccount[]> {
  const { rows } = await ledger.pool.query<StrayAccount>(
    `SELECT account, sum(files)::int AS files, sum(batches)::int AS batches, sum(rows)::bigint AS rows,
            sum(cents)::bigint AS cents
     FROM (SELECT account, count(*) AS files, 0 AS batches, 0 AS rows, 0 AS cents FROM file
           WHERE state IN ('claimed', 'held', 'accepted', 'in_progress') AND account <> ALL ($1) GROUP BY account
           UNION ALL
           SELECT account, 0, count(*), sum(rows), sum(cents) FROM batch
           WHERE ${IS_OPEN} AND account <> ALL ($1) GROUP BY account) open
     GROUP BY account ORDER BY account LIMIT 200`,
    [accounts],
  );
  return rows;
}
