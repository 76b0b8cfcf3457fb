import type { OutputKind } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../open-ledger.ts';
import type { BatchKey } from '../moves/move.ts';
import type { BatchRow } from '../records.ts';

/**
 * What is due, read from the ledger alone. The sweep makes jobs of it, so the queue may be lost at any moment (F43).
 */
export type DueWork = {
  intake: string[];
  submit: BatchKey[];
  poll: BatchRow[];
  deliver: string[];
};

export async function findDueWork(ledger: Ledger): Promise<DueWork> {
  const [intake, submit, poll, deliver] = await Promise.all([
    findClaimed(ledger),
    findSendable(ledger),
    findAwaitingResult(ledger),
    findDeliverable(ledger),
  ]);
  return { intake, submit, poll, deliver };
}

async function findClaimed(ledger: Ledger): Promise<string[]> {
  const { rows } = await ledger.pool.query<{ file_id: string }>(
    `SELECT file_id FROM file WHERE state = 'claimed' ORDER BY file_no LIMIT 1000`,
  );
  return rows.map((row) => row.file_id);
}

/**
 * The next batch of every account that may send: accounts are served side by side, the batches of one account in the
 * order of their files. An account that waits, is stopped or has a call in flight has none.
 * @param account look at this one only
 */
export async function findSendable(ledger: Ledger, account?: string): Promise<BatchKey[]> {
  const { rows } = await ledger.pool.query<{ file_id: string; batch_no: number }>(
    `SELECT next.file_id, next.batch_no
     FROM (SELECT DISTINCT account FROM batch
           WHERE state NOT IN ('reconciled', 'cancelled') AND state = 'ready'
             AND ($1::text IS NULL OR account = $1)) waiting
     CROSS JOIN LATERAL (
       SELECT b.file_id, b.batch_no, b.not_before FROM batch b JOIN file f USING (file_id)
       WHERE b.account = waiting.account AND b.state NOT IN ('reconciled', 'cancelled') AND b.state = 'ready'
         AND f.state IN ('accepted', 'in_progress')
       ORDER BY f.file_no, b.batch_no LIMIT 1) next
     WHERE (next.not_before IS NULL OR next.not_before <= $2)
       AND NOT EXISTS (SELECT 1 FROM account_stop s WHERE s.account = waiting.account)
       AND NOT EXISTS (SELECT 1 FROM batch busy WHERE busy.account = waiting.account
                       AND busy.state IN ('preparing', 'sending', 'unknown', 'refused'))`,
    [account ?? null, ledger.clock.now()],
  );
  return rows.map((row) => ({ fileId: row.file_id, batchNo: row.batch_no }));
}

/** Those whose result is here come first, then those whose answer is due next. */
async function findAwaitingResult(ledger: Ledger): Promise<BatchRow[]> {
  const { rows } = await ledger.pool.query<BatchRow>(
    `SELECT * FROM batch WHERE state NOT IN ('reconciled', 'cancelled') AND state IN ('submitted', 'result_in')
     ORDER BY next_poll_at NULLS FIRST, submitted_at, file_id, batch_no`,
  );
  return rows;
}

async function findDeliverable(ledger: Ledger): Promise<string[]> {
  const { rows } = await ledger.pool.query<{ file_id: string }>(
    `SELECT f.file_id FROM file f WHERE ${IS_DELIVERABLE} ORDER BY f.file_no LIMIT 1000`,
  );
  return rows.map((row) => row.file_id);
}

/**
 * Condition on a file `f` that lacks an output it should have: the notice of its verdict, or the results once no batch of
 * it is open any more.
 */
export const IS_DELIVERABLE = `(
     (f.state IN ('accepted', 'in_progress') AND ${lacks('ack')})
  OR (f.state = 'held' AND ${lacks('held')})
  OR (f.state = 'rejected' AND ${lacks('nak')})
  OR (f.state IN ('accepted', 'in_progress')
      AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.file_id = f.file_id AND b.state NOT IN ('reconciled', 'cancelled'))))`;

function lacks(kind: OutputKind): string {
  return `NOT EXISTS (SELECT 1 FROM output o WHERE o.file_id = f.file_id AND o.kind = '${kind}')`;
}
