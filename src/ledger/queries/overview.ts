import { MAY_LEAVE } from '../moves/prepare-batch.ts';
import type { Ledger } from '../open-ledger.ts';
import type { FileRow } from '../records.ts';
import { IS_DELIVERABLE } from './due-work.ts';

/** The questions that `paydrop status` answers at a glance. Money is integer cents. */
export type Overview = {
  files: { state: string; files: number; rows: number; cents: number }[];
  open: OpenFile[];
  doubt: {
    account: string;
    fileId: string;
    name: string;
    batchNo: number;
    state: string;
    rows: number;
    cents: number;
    since: Date;
    reason: string | null;
  }[];
  stopped: { account: string; reason: string; since: Date }[];
  today: { account: string; outcome: string; rows: number; cents: number }[];
};

export type OpenFile = Pick<
  FileRow,
  'file_id' | 'name' | 'account' | 'operation' | 'state' | 'state_at' | 'reason' | 'records'
> & {
  batches: number;
  done: number;
};

export async function readOverview(ledger: Ledger): Promise<Overview> {
  const [files, open, doubt, stopped, today] = await Promise.all([
    query<Overview['files'][number]>(
      ledger,
      `SELECT state, count(*) AS files, coalesce(sum(records), 0)::bigint AS rows,
              coalesce(sum(valid_cents), 0)::bigint AS cents FROM file GROUP BY state ORDER BY state`,
    ),
    readOpenFiles(ledger),
    query<Overview['doubt'][number]>(
      ledger,
      `SELECT b.account, b.file_id AS "fileId", f.name, b.batch_no AS "batchNo", b.state, b.rows, b.cents,
              b.state_at AS since, b.reason
       FROM batch b JOIN file f USING (file_id)
       WHERE b.state NOT IN ('reconciled', 'cancelled') AND b.state IN ('unknown', 'exception', 'refused')
       ORDER BY b.state_at LIMIT 200`,
    ),
    query<Overview['stopped'][number]>(ledger, 'SELECT account, reason, since FROM account_stop ORDER BY account'),
    query<Overview['today'][number]>(
      ledger,
      `SELECT f.account, o.outcome, count(*) AS rows, sum(r.amount_cents)::bigint AS cents
       FROM file f JOIN payment_row r USING (file_no) JOIN row_outcome o USING (file_no, line)
       WHERE f.claimed_at >= $1::timestamptz - interval '24 hours' GROUP BY 1, 2 ORDER BY 1, 2`,
      [ledger.clock.now()],
    ),
  ]);
  return { files, open, doubt, stopped, today };
}

/** The files on their way or waiting for a person, the oldest first; at most 200. */
export function readOpenFiles(ledger: Ledger): Promise<OpenFile[]> {
  return query<OpenFile>(
    ledger,
    `SELECT f.file_id, f.name, f.account, f.operation, f.state, f.state_at, f.reason, f.records,
              count(b.*) AS batches, count(b.*) FILTER (WHERE b.state IN ('reconciled', 'cancelled')) AS done
       FROM file f LEFT JOIN batch b USING (file_id)
       WHERE f.state IN ('claimed', 'held', 'accepted', 'in_progress')
       GROUP BY f.file_id ORDER BY f.file_no LIMIT 200`,
  );
}

/**
 * How many things are on their way that paydrop will bring to its end without a person: files to take in or to write
 * outputs for, batches that are being sent or waited for, and batches that will be sent.
 */
export async function countMoving(ledger: Ledger): Promise<number> {
  const [row] = await query<{ moving: number }>(
    ledger,
    `SELECT (SELECT count(*) FROM file f WHERE f.state = 'claimed' OR ${IS_DELIVERABLE})
          + (SELECT count(*) FROM batch WHERE state IN ('preparing', 'sending', 'submitted', 'result_in'))
          + (SELECT count(*) FROM batch WHERE state = 'ready' AND ${MAY_LEAVE}) AS moving`,
  );
  return row!.moving;
}

async function query<Row extends object>(ledger: Ledger, text: string, values: unknown[] = []): Promise<Row[]> {
  return (await ledger.pool.query<Row>(text, values)).rows;
}
