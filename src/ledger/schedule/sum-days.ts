import type { Totals, Withheld } from '../../rows/rows.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** A day of an account, from its first moment to that of the next day. */
export type DaySpan = { account: string; day: string; from: Date; until: Date };

/** What was reconciled for an account on a day, and withheld from the files accepted on it. Money is integer cents. */
export type DaySum = Totals & { account: string; day: string; declined: number; withheld: Withheld };

/**
 * Sums rows, money and declined rows of the batches reconciled on each of these days, by their outcomes then. Adds the
 * rows withheld from files accepted that day, and leaves out days without either. No rows are read: their sums are in
 * `batch_outcome`, and the index `batch_by_end` finds a day's batches.
 */
export async function sumDays(ledger: Ledger, spans: readonly DaySpan[]): Promise<DaySum[]> {
  const { rows } = await ledger.pool.query<DaySum>(
    `SELECT span.account, span.day, coalesce(day.rows, 0)::bigint AS rows, coalesce(day.cents, 0)::bigint AS cents,
            day.declined, jsonb_build_object('rows', w.rows, 'cents', w.cents, 'unreadable', w.unreadable) AS withheld
     FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[]) AS span (account, day, from_at, until_at),
       LATERAL (SELECT sum(o.rows)::bigint AS rows, sum(o.cents)::bigint AS cents,
                       coalesce(sum(o.rows) FILTER (WHERE o.outcome = 'declined'), 0)::bigint AS declined
                FROM batch b JOIN file f USING (file_id)
                  JOIN batch_outcome o ON o.file_no = f.file_no AND o.batch_no = b.batch_no
                WHERE b.account = span.account AND b.final_at >= span.from_at AND b.final_at < span.until_at
                  AND b.state = 'reconciled') day,
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
