import { BATCH_STATES, type BatchState, type FileState, FINAL_BATCH_STATES } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** How many files or batches of an account are in a state, and since when the oldest of them. */
export type OpenCount<State extends string> = { account: string; state: State; count: number; oldestAt: Date };

/** States in which a file or batch still waits for something. Final ones run into millions and are not counted. */
export const OPEN_FILE_STATES = ['claimed', 'held', 'accepted', 'in_progress'] as const satisfies readonly FileState[];
export type OpenFileState = (typeof OPEN_FILE_STATES)[number];
export type OpenBatchState = Exclude<BatchState, (typeof FINAL_BATCH_STATES)[number]>;
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
     WHERE state NOT IN ('reconciled', 'cancelled') GROUP BY account, state ORDER BY account, state`,
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
