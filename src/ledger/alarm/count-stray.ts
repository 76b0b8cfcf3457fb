import type { Ledger } from '../engine/open-ledger.ts';

export type StrayAccount = { account: string; files: number; batches: number; rows: number; cents: number };

/** Counts, by account, what is open for accounts other than these. Money is integer cents. */
export async function countStray(ledger: Ledger, accounts: readonly string[]): Promise<StrayAccount[]> {
  const { rows } = await ledger.pool.query<StrayAccount>(
    `SELECT account, sum(files)::int AS files, sum(batches)::int AS batches, sum(rows)::bigint AS rows,
            sum(cents)::bigint AS cents
     FROM (SELECT account, count(*) AS files, 0 AS batches, 0 AS rows, 0 AS cents FROM file
           WHERE state IN ('claimed', 'held', 'accepted', 'in_progress') AND account <> ALL ($1) GROUP BY account
           UNION ALL
           SELECT account, 0, count(*), sum(rows), sum(cents) FROM batch
           WHERE state NOT IN ('reconciled', 'cancelled') AND account <> ALL ($1) GROUP BY account) open
     GROUP BY account ORDER BY account LIMIT 200`,
    [accounts],
  );
  return rows;
}
