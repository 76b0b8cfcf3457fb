import type { Ledger } from '../engine/open-ledger.ts';

/** What an account waits for at the service. */
export type PollLag = {
  account: string;
  /** Batches without a result, or with one that did not fit and is asked for again. */
  waiting: number;
  /** Those of them whose result is longer in coming than the account's `poll.staleMs`. */
  overdue: number;
  /** When the question that has waited longest was due; in the future when all are asked in time. */
  dueAt: Date;
};

/** A batch that was never asked about is due from the moment at which the service took it. */
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
