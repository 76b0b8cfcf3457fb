import type { Ledger } from '../engine/open-ledger.ts';

/** Rows and money of an account that wait for a person. Money is integer cents. */
export type OpenSum = { account: string; things: number; rows: number; cents: number; oldestAt: Date };

/** Sums the batches with outcome unknown, per account. */
export async function sumDoubt(ledger: Ledger): Promise<OpenSum[]> {
  const { rows } = await ledger.pool.query<OpenSum>(
    `SELECT account, count(*) AS things, sum(rows)::bigint AS rows, sum(cents)::bigint AS cents,
            min(state_at) AS "oldestAt"
     FROM batch WHERE state NOT IN ('reconciled', 'cancelled') AND state = 'unknown'
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
