import type { Ledger } from '../engine/open-ledger.ts';

/** What an account is waiting for from the service. */
export type PollLag = {
  account: string;
  /** Batches without a result, or with one that did not fit and is polled again. */
  waiting: number;
  /** Those overdue by the account's `poll.staleMs`. */
  overdue: number;
  /** When the oldest poll was due; in the future when no poll is late. */
  dueAt: Date;
};

/** Returns the lag per account. A batch never polled is due from when the service accepted it. */
export async function readPollLag(ledger: Ledger): Promise<PollLag[]> {
  const { rows } = await ledger.pool.query<PollLag>(
    `SELECT account, count(*) AS waiting, count(stale_since) AS overdue,
            min(coalesce(next_poll_at, submitted_at, state_at)) AS "dueAt"
     FROM batch
     WHERE state NOT IN ('reconciled', 'cancelled')
       AND (state = 'submitted' OR (state = 'exception' AND next_poll_at IS NOT NULL))
     GROUP BY account ORDER BY account`,
  );
  return rows;
}
