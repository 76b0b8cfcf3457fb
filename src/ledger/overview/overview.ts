import { hasCome, IS_FINAL, IS_OPEN, MAY_LEAVE } from '../batch/conditions.ts';
import { LONGEST_RECHECK_MS, LONGEST_REPOLL_MS, MAY_RECHECK } from '../batch/schedule-poll.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow } from '../engine/records.ts';
import { boundKeys } from '../merchant/bound-accounts.ts';
import { IS_OPEN_LATE } from '../file/late-arrivals.ts';
import { listUndecided, type UndecidedBatch } from '../doubt/unknown-rows.ts';
import {
  type DoubleCharge,
  IS_PAID,
  type PaidBatch,
  readPaidBatches,
  readPaidTwice,
} from '../duplicates/read-double-charges.ts';
import { IS_READABLE } from '../batch/due-work.ts';
import { type OpenProposal, readOpenProposals } from '../proposal/proposals.ts';
import { BATCH_STATES, type BatchState, type FileState, FINAL_BATCH_STATES } from '../../../schemas/lifecycle.ts';

type BatchView = { account: string; fileId: string; name: string; batchNo: number; rows: number; cents: number };

/** A batch that waits for a person. */
export type TroubledBatch = BatchView & {
  state: Extract<BatchState, 'unknown' | 'exception' | 'refused'>;
  since: Date;
  reason: string | null;
};

/** A batch that the service has but gives no result for, or none that is understood. */
export type LateBatch = BatchView & {
  batchId: string;
  submittedAt: Date | null;
  staleSince: Date | null;
  says: string | null;
};

/** What `paydrop status` answers at a glance. Money is integer cents. */
export type Overview = {
  files: { state: string; files: number; rows: number; cents: number }[];
  open: OpenFile[];
  doubt: TroubledBatch[];
  late: LateBatch[];
  /** Batches that wait because a payment in them may have been charged meanwhile. */
  paid: PaidBatch[];
  /** Payments that were perhaps made twice, and that nobody has looked at. */
  twice: DoubleCharge[];
  /** Finished batches with rows whose outcome is unknown and that no person has closed. */
  undecided: UndecidedBatch[];
  stopped: { account: string; reason: string; since: Date }[];
  /** What waits for a second person. */
  proposals: OpenProposal[];
  today: { account: string; outcome: string; rows: number; cents: number }[];
};

export type OpenFile = Pick<
  FileRow,
  'file_id' | 'name' | 'account' | 'operation' | 'state' | 'state_at' | 'reason' | 'records' | 'valid_rows'
> & {
  batches: number;
  done: number;
  /** Of a file that has been read for a few seconds: rows checked so far, and about how many it has. */
  checked_rows: number | null;
  expected_rows: number | null;
};

export async function readOverview(ledger: Ledger): Promise<Overview> {
  const [open, doubt, late, paid, twice, undecided, stopped, proposals, files, today] = await Promise.all([
    readOpenFiles(ledger),
    readDoubt(ledger),
    readLate(ledger),
    readPaidBatches(ledger),
    readPaidTwice(ledger),
    listUndecided(ledger.pool),
    query<Overview['stopped'][number]>(ledger, 'SELECT account, reason, since FROM account_stop ORDER BY account'),
    readOpenProposals(ledger),
    query<Overview['files'][number]>(
      ledger,
      `SELECT state, count(*) AS files, coalesce(sum(records), 0)::bigint AS rows,
              coalesce(sum(valid_cents), 0)::bigint AS cents FROM file GROUP BY state ORDER BY state`,
    ),
    query<Overview['today'][number]>(
      ledger,
      `SELECT f.account, o.outcome, sum(o.rows)::bigint AS rows, sum(o.cents)::bigint AS cents
       FROM file f JOIN outcome_movement o USING (file_no)
       WHERE f.claimed_at >= $1::timestamptz - interval '24 hours'
       GROUP BY 1, 2 HAVING sum(o.rows) <> 0 ORDER BY 1, 2`,
      [ledger.clock.now()],
    ),
  ]);
  return { open, doubt, late, paid, twice, undecided, stopped, proposals, files, today };
}

/** SQL: a batch waits for a person. */
export const IS_TROUBLED = `state IN ('unknown', 'exception', 'refused')`;

/** SQL: the result of a batch is overdue, or what the service says of it is not understood. */
export const IS_LATE = `state = 'submitted' AND (stale_since IS NOT NULL OR poll_alarm IS NOT NULL)`;

/** Since when open money was accepted, the youngest first. */
export const AGES = ['under 1 h', '1 to 4 h', '4 to 24 h', 'over 24 h'] as const;

/** Rows and money of open batches of an account, by their age. Money is integer cents. */
export type OpenAge = { account: string; age: (typeof AGES)[number]; rows: number; cents: number };

/** Sums the batches without a final outcome by the time since their files were accepted. */
export function readOpenAges(ledger: Ledger): Promise<OpenAge[]> {
  return query<OpenAge>(
    ledger,
    `SELECT account, ($2::text[])[width_bucket(extract(epoch FROM $1 - accepted_at)::float8, ARRAY[3600, 14400, 86400]::float8[]) + 1]
              AS age, sum(rows)::bigint AS rows, sum(cents)::bigint AS cents
     FROM (SELECT b.account, b.rows, b.cents, f.accepted_at FROM batch b CROSS JOIN LATERAL
             (SELECT accepted_at FROM file WHERE file.file_id = b.file_id OFFSET 0) f
           WHERE b.${IS_OPEN} AND f.accepted_at IS NOT NULL) open
     GROUP BY 1, 2 ORDER BY 1, 2`,
    [ledger.clock.now(), AGES],
  );
}

/** Returns the batches that wait for a person, worst first, so that lesser cases cannot hide those in doubt. */
export function readDoubt(ledger: Ledger): Promise<TroubledBatch[]> {
  return query<TroubledBatch>(
    ledger,
    `SELECT b.account, b.file_id AS "fileId", f.name, b.batch_no AS "batchNo", b.state, b.rows, b.cents,
            b.state_at AS since, b.reason
     FROM (SELECT * FROM batch WHERE ${IS_OPEN} AND ${IS_TROUBLED}) b JOIN file f USING (file_id)
     ORDER BY array_position(ARRAY['unknown', 'exception', 'refused'], b.state), b.state_at, f.file_no, b.batch_no LIMIT 200`,
  );
}

/** Returns the batches whose result is overdue, longest waiting first; at most 200. */
export function readLate(ledger: Ledger): Promise<LateBatch[]> {
  return query<LateBatch>(
    ledger,
    `SELECT b.account, b.file_id AS "fileId", f.name, b.batch_no AS "batchNo", b.batch_id AS "batchId", b.rows, b.cents,
            b.submitted_at AS "submittedAt", b.stale_since AS "staleSince", b.poll_alarm AS says
     FROM (SELECT * FROM batch WHERE ${IS_OPEN} AND ${IS_LATE}) b JOIN file f USING (file_id)
     ORDER BY b.submitted_at, f.file_no, b.batch_no LIMIT 200`,
  );
}

/** Returns whether a file was ever taken. */
export async function hasFiles(ledger: Ledger): Promise<boolean> {
  const [row] = await query<{ has: boolean }>(ledger, 'SELECT EXISTS (SELECT FROM file) AS has');
  return row!.has;
}

/**
 * Returns the files in progress or in need of approval, of all accounts or of one, oldest first; at most 200. Counts
 * batches for these alone: joined to all open files, PostgreSQL would read every batch there ever was.
 */
export function readOpenFiles(ledger: Ledger, account?: string): Promise<OpenFile[]> {
  return query<OpenFile>(
    ledger,
    `SELECT f.file_id, f.name, f.account, f.operation, f.state, f.state_at, f.reason, f.records, f.valid_rows, b.batches, b.done,
            r.checked_rows, r.expected_rows
     FROM (SELECT * FROM file WHERE state IN ('claimed', 'held', 'accepted', 'in_progress')
             AND ($1::text IS NULL OR account = $1) ORDER BY file_no LIMIT 200) f
       LEFT JOIN reading r USING (file_id),
       LATERAL (SELECT count(*) AS batches, count(*) FILTER (WHERE ${IS_FINAL}) AS done
                FROM batch WHERE file_id = f.file_id) b
     ORDER BY f.file_no`,
    [account ?? null],
  );
}

/**
 * Returns whether paydrop has work that it finishes without a person. That is a file to take in or write outputs for,
 * or a result due to be requested again. It is also a batch that is being sent, waits for its result or will be sent.
 * Work of an account that this process does not mean as the ledger does waits for a person, or another process.
 * @param closed accounts whose window is closed: their batches wait, maybe for days
 * @param givenUp ids of files that do not count
 */
export async function isMoving(
  ledger: Ledger,
  closed: readonly string[] = [],
  givenUp: readonly string[] = [],
): Promise<boolean> {
  const [row] = await query<{ moving: boolean }>(
    ledger,
    `SELECT EXISTS (SELECT FROM file f WHERE f.state = 'claimed' AND ${IS_READABLE} AND f.file_id <> ALL ($4))
         OR EXISTS (SELECT FROM files_to_deliver(NULL) f WHERE f.file_id <> ALL ($4))
         OR EXISTS (SELECT FROM batch WHERE state IN ('sending', 'result_in'))
         OR EXISTS (SELECT FROM batch WHERE is_bound(account, $2) AND (
              state = 'submitted' OR (state = 'ready' AND account <> ALL ($3) AND ${MAY_LEAVE})
              OR (state = 'exception' AND ${hasCome('next_poll_at', '$1', LONGEST_REPOLL_MS)})
              OR (${hasCome('next_recheck_at', '$1', LONGEST_RECHECK_MS)} AND ${MAY_RECHECK}))) AS moving`,
    [ledger.clock.now(), boundKeys(ledger), closed, givenUp],
  );
  return row!.moving;
}

async function query<Row extends object>(ledger: Ledger, text: string, values: unknown[] = []): Promise<Row[]> {
  return (await ledger.pool.query<Row>(text, values)).rows;
}

/** How many files or batches of an account are in a state, and since when the oldest of them. */
export type OpenCount<State extends string> = { account: string; state: State; count: number; oldestAt: Date };

/** States in which a file or batch still waits for something. Final ones run into millions and are not counted. */
export const OPEN_FILE_STATES = ['claimed', 'held', 'accepted', 'in_progress'] as const satisfies readonly FileState[];
type OpenFileState = (typeof OPEN_FILE_STATES)[number];
type OpenBatchState = Exclude<BatchState, (typeof FINAL_BATCH_STATES)[number]>;
export const OPEN_BATCH_STATES = (Object.keys(BATCH_STATES) as BatchState[]).filter(
  (state): state is OpenBatchState => !FINAL_BATCH_STATES.some((final) => final === state),
);

/** Counts the files in progress or in need of approval. Uses the index `file_by_state`. */
export async function countOpenFiles(ledger: Ledger): Promise<OpenCount<OpenFileState>[]> {
  const { rows } = await ledger.pool.query<OpenCount<OpenFileState>>(
    `SELECT account, state, count(*) AS count, min(state_at) AS "oldestAt" FROM file WHERE state = ANY ($1)
     GROUP BY account, state ORDER BY account, state`,
    [OPEN_FILE_STATES],
  );
  return rows;
}

/** Counts the batches that are not final. Uses the index `open_batch`, which holds no others. */
export async function countOpenBatches(ledger: Ledger): Promise<OpenCount<OpenBatchState>[]> {
  const { rows } = await ledger.pool.query<OpenCount<OpenBatchState>>(
    `SELECT account, state, count(*) AS count, min(state_at) AS "oldestAt" FROM batch
     WHERE ${IS_OPEN} GROUP BY account, state ORDER BY account, state`,
  );
  return rows;
}

/** Rows and money of an account that wait for a person. Money is integer cents. */
export type OpenSum = { account: string; things: number; rows: number; cents: number; oldestAt: Date };

/** Sums the batches with outcome unknown, per account. */
export async function sumDoubt(ledger: Ledger): Promise<OpenSum[]> {
  const { rows } = await ledger.pool.query<OpenSum>(
    `SELECT account, count(*) AS things, sum(rows)::bigint AS rows, sum(cents)::bigint AS cents,
            min(state_at) AS "oldestAt"
     FROM batch WHERE ${IS_OPEN} AND state = 'unknown'
     GROUP BY account ORDER BY account`,
  );
  return rows;
}

/** Sums the held files with their valid rows, per account. */
export async function sumHeld(ledger: Ledger): Promise<OpenSum[]> {
  const { rows } = await ledger.pool.query<OpenSum>(
    `SELECT account, count(*) AS things, coalesce(sum(valid_rows), 0)::bigint AS rows,
            coalesce(sum(valid_cents), 0)::bigint AS cents, min(state_at) AS "oldestAt"
     FROM file WHERE state = 'held' GROUP BY account ORDER BY account`,
  );
  return rows;
}

/** What the navigation counts. Each number is found by a partial index, whatever the size of the ledger. */
export type Badges = {
  /** What waits for this person: troubled and overdue batches, batches with undecided rows, stops, held files and proposals. */
  readonly needsYou: number;
  /** Whether money is in doubt, or a result does not fit. */
  readonly isInDoubt: boolean;
  /** Held files and proposals that this person has not made. A held file that is proposed counts once. */
  readonly approvals: number;
  /** Accounts that send nothing until a person resumes them. */
  readonly stopped: number;
};

/** Reads them for one page. @param actor who looks, as in the audit trail */
export async function readBadges({ pool }: Ledger, actor: string): Promise<Badges> {
  // Named, so that a session plans it once: that takes many times as long as counting.
  const { rows } = await pool.query<Badges>({
    name: 'badges',
    text: `SELECT *, batches + undecided + stops + approvals + late AS "needsYou" FROM (
       SELECT (SELECT count(*) FROM batch WHERE ${IS_OPEN} AND (${IS_TROUBLED} OR ${IS_LATE}))
                + (SELECT count(*) FROM batch WHERE ${IS_PAID}) AS batches,
              EXISTS (SELECT 1 FROM batch WHERE ${IS_OPEN} AND state IN ('unknown', 'exception'))
                OR EXISTS (SELECT 1 FROM unknown_row WHERE NOT is_closed) AS "isInDoubt",
              (SELECT count(DISTINCT (file_no, batch_no)) FROM unknown_row WHERE NOT is_closed) AS undecided,
              (SELECT count(*) FROM file f WHERE state = 'held'
                 AND NOT EXISTS (SELECT 1 FROM upload u WHERE u.file_id = f.file_id AND u.actor = $1)
                 AND NOT EXISTS (SELECT 1 FROM proposal p
                                 WHERE p.file_id = f.file_id AND p.action = 'approve' AND p.verdict IS NULL))
              + (SELECT count(*) FROM proposal WHERE verdict IS NULL AND made_by <> $1) AS approvals,
              (SELECT count(DISTINCT file_id) FROM late_arrival WHERE ${IS_OPEN_LATE}) AS late,
              (SELECT count(*) FROM account_stop) AS stops,
              (SELECT count(DISTINCT account) FROM account_stop) AS stopped) counted`,
    values: [actor],
  });
  const { needsYou, isInDoubt, approvals, stopped } = rows[0]!;
  return { needsYou, isInDoubt, approvals, stopped };
}
