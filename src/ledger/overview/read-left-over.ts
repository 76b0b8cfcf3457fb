import { IS_OPEN } from '../batch/conditions.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/**
 * What is open for accounts that no process works for.
 * - `unread`: a file that was taken, and whose rows were not read
 * - `held`: a held file
 * - `unsent`: the ready batches of a file
 * - `refused`: a batch that the service refused
 * - `doubt`: a batch whose call was not resolved
 * - `sent`: a batch without its result
 * - `undecided`: rows of a finished batch whose outcome is unknown
 * - `meant`: a held file of a present account that was meant for another merchant
 * - `upload`, `resubmission`: a file that was put into a drop folder and has not been taken
 * - `forgotten`: calls that a restored ledger lacks, and that no user has acknowledged
 */
export type LeftKind =
  | 'unread'
  | 'held'
  | 'unsent'
  | 'refused'
  | 'doubt'
  | 'sent'
  | 'undecided'
  | 'meant'
  | 'upload'
  | 'resubmission'
  | 'forgotten';

/** Money is integer cents; null where it is not known. */
export type LeftRow = {
  kind: LeftKind;
  account: string;
  name: string;
  fileId: string | null;
  batchNo: number | null;
  rows: number | null;
  cents: number | null;
  since: Date;
};

/** The most that is listed; the rest shows when these are settled. */
export const MOST_LEFT = 1_000;

/**
 * Returns what is left over for accounts other than these, by account and age.
 * @param present accounts that processes work for
 */
export async function readLeftOver({ pool }: Pick<Ledger, 'pool'>, present: readonly string[]): Promise<LeftRow[]> {
  const { rows } = await pool.query<LeftRow>(
    `SELECT kind, account, name, file_id AS "fileId", batch_no AS "batchNo", rows::bigint, cents::bigint, since FROM (
       SELECT CASE state WHEN 'claimed' THEN 'unread' ELSE 'held' END AS kind, account, name, file_id, NULL::integer AS batch_no,
              valid_rows::bigint AS rows, valid_cents AS cents, state_at AS since
       FROM file WHERE state IN ('claimed', 'held') AND account <> ALL ($1)
       UNION ALL
       SELECT 'meant', account, name, file_id, NULL, valid_rows, valid_cents, state_at
       FROM file WHERE state = 'held' AND meant_for IS NOT NULL AND account = ANY ($1)
       UNION ALL
       SELECT 'unsent', b.account, f.name, f.file_id, NULL, sum(b.rows), sum(b.cents), min(b.state_at)
       FROM batch b JOIN file f USING (file_id)
       WHERE b.${IS_OPEN} AND b.state = 'ready' AND f.state IN ('accepted', 'in_progress') AND b.account <> ALL ($1)
       GROUP BY b.account, f.name, f.file_id
       UNION ALL
       SELECT CASE WHEN b.state = 'refused' THEN 'refused'
                   WHEN b.state IN ('sending', 'unknown') THEN 'doubt' ELSE 'sent' END,
              b.account, f.name, f.file_id, b.batch_no, b.rows, b.cents, b.state_at
       FROM batch b JOIN file f USING (file_id)
       WHERE b.${IS_OPEN} AND b.state <> 'ready' AND b.account <> ALL ($1)
       UNION ALL
       SELECT 'undecided', u.account, f.name, u.file_id, u.batch_no, count(*), sum(u.amount_cents), min(u.since)
       FROM unknown_row u JOIN file f USING (file_no) WHERE NOT u.is_closed AND u.account <> ALL ($1)
       GROUP BY u.account, f.name, u.file_id, u.batch_no
       UNION ALL
       SELECT 'upload', account, folder || '/' || name, NULL, NULL, NULL, NULL, at
       FROM upload WHERE file_id IS NULL AND account <> ALL ($1)
       UNION ALL
       SELECT 'resubmission', account, name, file_id, NULL, rows, cents, at
       FROM resubmission WHERE new_file_id IS NULL AND account <> ALL ($1)
       UNION ALL
       SELECT 'forgotten', coalesce(a.account, g.account), count(*) || CASE count(*) WHEN 1 THEN ' call' ELSE ' calls' END,
              NULL, NULL, NULL, NULL, min(g.at)
       FROM forgotten_send g LEFT JOIN account a USING (merchant_no)
       WHERE g.acknowledged_at IS NULL AND coalesce(a.account, g.account) <> ALL ($1)
         AND NOT EXISTS (SELECT FROM account x WHERE x.merchant_no = g.merchant_no AND x.account = ANY ($1))
       GROUP BY 2) found
     ORDER BY account COLLATE "C", since, name, batch_no NULLS FIRST LIMIT $2`,
    [present, MOST_LEFT],
  );
  return rows;
}

/** A run of a schedule that is not over. */
export type LeftRun = { schedule: string; day: string; state: string; dueAt: Date };

/** Returns runs that are not over of schedules that the configuration no longer has. @param present its names */
export async function readLeftRuns({ pool }: Pick<Ledger, 'pool'>, present: readonly string[]): Promise<LeftRun[]> {
  const { rows } = await pool.query<LeftRun>(
    `SELECT schedule, business_date::text AS day, state, due_at AS "dueAt" FROM schedule_run
     WHERE state IN ('running', 'failed') AND schedule <> ALL ($1) ORDER BY due_at, schedule LIMIT $2`,
    [present, MOST_LEFT],
  );
  return rows;
}

/**
 * Returns which of these claims were made for another merchant, country or currency than their account means now.
 * @param claims with the account and what it meant at the claim (meaningKey)
 */
export async function findOtherClaims(
  { pool }: Pick<Ledger, 'pool'>,
  claims: readonly { fileId: string; account: string; merchant: string }[],
): Promise<Set<string>> {
  if (claims.length === 0) return new Set();
  const { rows } = await pool.query<{ fileId: string }>(
    `SELECT c.file_id AS "fileId" FROM unnest($1::text[], $2::text[], $3::text[]) AS c (file_id, account, merchant)
     WHERE NOT EXISTS (SELECT FROM account a JOIN merchant_address p USING (merchant_no)
                       WHERE a.account = c.account AND concat_ws(' ', p.mark, a.country, a.currency) = c.merchant)
       AND NOT EXISTS (SELECT FROM file f WHERE f.file_id = c.file_id)`,
    [claims.map(({ fileId }) => fileId), claims.map(({ account }) => account), claims.map(({ merchant }) => merchant)],
  );
  return new Set(rows.map(({ fileId }) => fileId));
}
