import type { PoolClient } from 'pg';
import type { OutcomeTotals, Totals, Withheld } from '../../rows/rows.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { sumWithheld } from '../file/file-figures.ts';

type OpenBatch = {
  fileId: string;
  batchNo: number;
  name: string;
  acceptedAt: Date;
  rows: number;
  cents: number;
  /** Its state now, which may differ from the state at the end of that day. */
  stateNow: string;
};

/** What the ledger knows about an account on one day. Money is integer cents. */
export type DayFigures = {
  /** Batches of files accepted before the day that were not final when it began. */
  broughtForward: Totals;
  /** Valid rows of the files accepted on the day, as counted by intake. */
  accepted: Totals & { files: number };
  /** Rows that became final on the day, by their outcome then. */
  final: OutcomeTotals;
  open: Totals;
  /** The oldest of them; a report of thousands would not be read. */
  openBatches: readonly OpenBatch[];
  /** Outcomes that changed on the day after they were final. They move money between outcomes and open nothing. */
  changes: readonly (Totals & { before: string; after: string })[];
  /** Rows of the files accepted on the day that had faults and were not sent; no other figure includes them. */
  withheld: Withheld;
};

/**
 * Computes the figures of a day from independent sources. What was accepted comes from the verdicts on files, and what
 * is open from the batches. What is final comes from row outcomes, added up per batch when written. The figures are as
 * of the end of the day, whenever they are read. A final state is never left, so its time is known for each batch.
 * @param from first moment of the day
 * @param until first moment of the next day
 */
export async function readDay(ledger: Ledger, account: string, from: Date, until: Date): Promise<DayFigures> {
  const client = await ledger.pool.connect();
  try {
    // One snapshot for all queries: a batch that becomes final between two of them would count twice or never.
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const figures = {
      broughtForward: await sumOpen(client, account, from),
      accepted: await sumAccepted(client, account, from, until),
      final: await sumFinal(client, account, from, until),
      open: await sumOpen(client, account, until),
      openBatches: await listOpen(client, account, until),
      changes: await sumChanges(client, account, from, until),
      withheld: await sumWithheld(client, account, from, until),
    };
    await client.query('COMMIT');
    return figures;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

/**
 * A batch `b` with its file `f`, looked up one by one. A day needs few of all the files, but PostgreSQL would rather
 * read them all; OFFSET 0 prevents that.
 */
const WITH_FILE = `batch b CROSS JOIN LATERAL
  (SELECT file_no, name, accepted_at FROM file WHERE file.file_id = b.file_id OFFSET 0) f`;

/**
 * The outcomes `o` of that batch, looked up by the whole key. PostgreSQL would join them by the file alone, and read all
 * batches of a file for each of them.
 */
const ITS_OUTCOMES = `LATERAL (SELECT outcome, rows, cents FROM batch_outcome x
  WHERE x.file_no = f.file_no AND x.batch_no = b.batch_no OFFSET 0) o`;

/** Batches `b` of files `f` that were accepted but not final at the moment $2. */
const WAS_OPEN = `${WITH_FILE}
  WHERE b.account = $1 AND f.accepted_at < $2
    AND (b.final_at IS NULL OR b.final_at >= $2)`;

async function sumOpen(client: PoolClient, account: string, at: Date): Promise<Totals> {
  const { rows } = await client.query<Totals>(
    `SELECT coalesce(sum(b.rows), 0)::bigint AS rows, coalesce(sum(b.cents), 0)::bigint AS cents FROM ${WAS_OPEN}`,
    [account, at],
  );
  return rows[0]!;
}

async function listOpen(client: PoolClient, account: string, at: Date): Promise<OpenBatch[]> {
  const { rows } = await client.query<OpenBatch>(
    `SELECT b.file_id AS "fileId", b.batch_no AS "batchNo", f.name, f.accepted_at AS "acceptedAt", b.rows, b.cents,
            b.state AS "stateNow"
     FROM ${WAS_OPEN} ORDER BY f.accepted_at, f.file_no, b.batch_no LIMIT 1000`,
    [account, at],
  );
  return rows;
}

async function sumAccepted(client: PoolClient, account: string, from: Date, until: Date) {
  const { rows } = await client.query<Totals & { files: number }>(
    `SELECT count(*) AS files, coalesce(sum(valid_rows), 0)::bigint AS rows, coalesce(sum(valid_cents), 0)::bigint AS cents
     FROM file WHERE account = $1 AND accepted_at >= $2 AND accepted_at < $3`,
    [account, from, until],
  );
  return rows[0]!;
}

/** Sums the outcomes of batches that were reconciled; those that were cancelled count as `not_sent`. */
async function sumFinal(client: PoolClient, account: string, from: Date, until: Date): Promise<OutcomeTotals> {
  const { rows } = await client.query<Totals & { outcome: keyof OutcomeTotals }>(
    `SELECT ended.outcome, sum(ended.rows)::bigint AS rows, sum(ended.cents)::bigint AS cents FROM (
       SELECT o.outcome, o.rows, o.cents FROM ${WITH_FILE} CROSS JOIN ${ITS_OUTCOMES}
       WHERE b.account = $1 AND b.state = 'reconciled' AND b.final_at >= $2 AND b.final_at < $3
         AND f.accepted_at IS NOT NULL
       UNION ALL
       SELECT 'not_sent', b.rows, b.cents FROM ${WITH_FILE}
       WHERE b.account = $1 AND b.state = 'cancelled' AND b.final_at >= $2 AND b.final_at < $3
         AND f.accepted_at IS NOT NULL) ended
     GROUP BY ended.outcome`,
    [account, from, until],
  );
  return Object.fromEntries(rows.map(({ outcome, ...totals }) => [outcome, totals]));
}

async function sumChanges(client: PoolClient, account: string, from: Date, until: Date) {
  const { rows } = await client.query<DayFigures['changes'][number]>(
    `SELECT c.old_outcome AS before, c.outcome AS after, count(*) AS rows, sum(r.amount_cents)::bigint AS cents
     FROM outcome_change c JOIN file f USING (file_no) JOIN payment_row r USING (file_no, line)
     WHERE f.account = $1 AND c.at >= $2 AND c.at < $3 GROUP BY 1, 2 ORDER BY 1, 2`,
    [account, from, until],
  );
  return rows;
}

/** A day of an account, from its first moment to that of the next day. */
export type DaySpan = { account: string; day: string; from: Date; until: Date };

/** What was reconciled for an account on a day, and withheld from the files accepted on it. Money is integer cents. */
export type DaySum = Totals & {
  account: string;
  day: string;
  declined: number;
  /** Money by first outcome. */
  outcomes: Partial<Record<keyof OutcomeTotals, number>>;
  /** Seconds from sending a batch to its result, within which half and 95 % of the results came; null without any. */
  waits: [half: number, most: number] | null;
  withheld: Withheld;
};

/** Batches `b` reconciled in the span. */
const ENDED_THEN = `b.account = span.account AND b.final_at >= span.from_at AND b.final_at < span.until_at
  AND b.state = 'reconciled'`;

/**
 * Sums rows, money and declined rows of the batches reconciled on each of these days, by their outcomes then, and says
 * how long their results took. Adds the rows withheld from files accepted that day, and leaves out days without either. No rows are read: their sums are in
 * `batch_outcome`, and the index `batch_by_end` finds a day's batches.
 */
export async function sumDays(ledger: Ledger, spans: readonly DaySpan[]): Promise<DaySum[]> {
  const { rows } = await ledger.pool.query<DaySum>(
    `SELECT span.account, span.day, coalesce(day.rows, 0)::bigint AS rows, coalesce(day.cents, 0)::bigint AS cents,
            day.declined, coalesce(day.outcomes, '{}') AS outcomes, took.waits,
            jsonb_build_object('rows', w.rows, 'cents', w.cents, 'unreadable', w.unreadable) AS withheld
     FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[]) AS span (account, day, from_at, until_at),
       LATERAL (SELECT sum(rows)::bigint AS rows, sum(cents)::bigint AS cents, jsonb_object_agg(outcome, cents) AS outcomes,
                       coalesce(sum(rows) FILTER (WHERE outcome = 'declined'), 0)::bigint AS declined
                FROM (SELECT o.outcome, sum(o.rows) AS rows, sum(o.cents) AS cents
                      FROM ${WITH_FILE} CROSS JOIN ${ITS_OUTCOMES} WHERE ${ENDED_THEN} GROUP BY o.outcome) ended) day,
       LATERAL (SELECT percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (
                         ORDER BY extract(epoch FROM b.result_at - b.submitted_at)::float8) AS waits
                FROM batch b WHERE ${ENDED_THEN} AND b.result_at >= b.submitted_at) took,
       LATERAL (SELECT coalesce(sum(invalid_rows), 0) AS rows, coalesce(sum(withheld_cents), 0) AS cents,
                       coalesce(sum(withheld_unreadable), 0) AS unreadable
                FROM file
                WHERE account = span.account AND accepted_at >= span.from_at AND accepted_at < span.until_at
                  AND invalid_rows > 0) w
     WHERE day.rows IS NOT NULL OR w.rows > 0 ORDER BY span.day, span.account`,
    [
      spans.map(({ account }) => account),
      spans.map(({ day }) => day),
      spans.map(({ from }) => from),
      spans.map(({ until }) => until),
    ],
  );
  return rows;
}
