import type { BatchMove } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';
import { storableJson } from '../engine/storable-text.ts';
import { transact, type Transaction, violates } from '../engine/transaction.ts';
import { type BatchKey, moveBatch, type Sql } from '../engine/move.ts';
import { NOBODY, type Prepared, waitingLonger } from './prepare-batch.ts';
import { ALIVE_LOCKS } from '../engine/instance.ts';

/** How an attempt ended, and the evidence. `serviceAt` is the time by the service's clock. */
export type AttemptEnd = { serviceAt?: Date | undefined } & (
  | { verdict: 'submitted'; batchId: string; firstPollMs: number; evidence: Record<string, unknown> }
  | { verdict: 'refused' | 'unknown' | 'not_sent'; reason: string; evidence: Record<string, unknown> }
);

type Ended = BatchRow | 'recorded' | undefined;

/**
 * Moves `submit`, `refuse`, `unsent` and `doubt`: records this worker's verdict on its attempt. A batch id that the
 * account has had before proves nothing, so that attempt ends in doubt.
 *
 * A verdict recorded meanwhile stands, such as that of the sweep after a lost connection. The service's answer is kept
 * beside it, because the operator who resolves the doubt needs its batch id.
 * @returns the batch as it is now, `recorded` when this verdict was written before, or undefined when another was
 */
export async function endAttempt(ledger: Ledger, batch: Prepared, end: AttemptEnd): Promise<Ended> {
  try {
    return await transact(ledger, (tx) => record(tx, batch, end));
  } catch (error) {
    if (!violates(error, 'one_batch_per_batch_id') || end.verdict !== 'submitted') throw error;
    const reason = `the service answered with batch id ${end.batchId}, which this account already has`;
    const { evidence, serviceAt } = end;
    return transact(ledger, (tx) => record(tx, batch, { verdict: 'unknown', reason, evidence, serviceAt }));
  }
}

async function record(tx: Transaction, batch: Prepared, end: AttemptEnd): Promise<Ended> {
  const key: BatchKey = { fileId: batch.file_id, batchNo: batch.batch_no };
  const { move, set, reason } = moveOf(tx, batch, end);
  const because = { actor: 'worker:submit', reason, evidence: end.evidence };
  const row = await moveBatch(tx, move, key, because, {
    set: { ...NOBODY, ...set },
    where: { sql: 'token = $1', values: [batch.token] },
    also: closing(tx, batch.attempt, end),
  });
  if (row) return row;
  if (await isRecorded(tx, key, batch.attempt, end)) return 'recorded';
  tx.audit({ ...because, ...key, move: 'late-answer', evidence: { ...end.evidence, ...seenBatchId(end) } });
  return undefined;
}

/**
 * Returns whether this same verdict is already written: the commit succeeded, but its answer was lost, and the worker
 * repeats it. An `unknown` verdict may come from another process, so this worker's evidence is kept anyway.
 */
async function isRecorded(tx: Transaction, key: BatchKey, attempt: number, end: AttemptEnd): Promise<boolean> {
  if (end.verdict === 'unknown') return false;
  const { rowCount } = await tx.client.query(
    `SELECT 1 FROM attempt JOIN batch USING (file_id, batch_no)
     WHERE file_id = $1 AND batch_no = $2 AND attempt.attempt = $3 AND verdict = $4
       AND ($5::text IS NULL OR batch_id = $5)`,
    [key.fileId, key.batchNo, attempt, end.verdict, end.verdict === 'submitted' ? end.batchId : null],
  );
  return rowCount === 1;
}

/** Returns the batch id that the operator needs to resolve the doubt. */
function seenBatchId(end: AttemptEnd): { batchId?: string } {
  return end.verdict === 'submitted' ? { batchId: end.batchId } : {};
}

/** Returns the statement that closes an attempt with its move. A batch may have several attempts. */
export function closing(
  tx: Transaction,
  attempt: number,
  { verdict, evidence, serviceAt }: Pick<AttemptEnd, 'verdict' | 'evidence' | 'serviceAt'>,
): Sql {
  return {
    sql: `UPDATE attempt SET ended_at = ${tx.databaseNow}, verdict = $2, evidence = $3, service_at = $4::timestamptz
          FROM moved
          WHERE attempt.file_id = moved.file_id AND attempt.batch_no = moved.batch_no AND attempt.attempt = $1`,
    values: [attempt, verdict, storableJson(evidence), serviceAt ?? null],
  };
}

/** Records the time of the service's clock right after a call without an answer. */
export async function noteServiceTime(ledger: Ledger, batch: Prepared, at: Date): Promise<void> {
  await ledger.pool.query(
    `UPDATE attempt SET service_at = $4
     WHERE file_id = $1 AND batch_no = $2 AND attempt = $3 AND verdict = 'unknown' AND service_at IS NULL`,
    [batch.file_id, batch.batch_no, batch.attempt, at],
  );
}

function moveOf(
  tx: Transaction,
  batch: Prepared,
  end: AttemptEnd,
): { move: BatchMove; set: Record<string, unknown>; reason: string } {
  switch (end.verdict) {
    case 'submitted':
      return {
        move: 'submit',
        reason: `the service gave it batch id ${end.batchId}`,
        set: {
          batch_id: end.batchId,
          submitted_at: tx.at,
          releases: 0,
          next_poll_at: new Date(tx.at.getTime() + end.firstPollMs),
        },
      };
    case 'refused':
      return { move: 'refuse', reason: end.reason, set: {} };
    case 'unknown':
      return { move: 'doubt', reason: end.reason, set: {} };
    case 'not_sent':
      return {
        move: 'unsent',
        reason: end.reason,
        set: { attempt: batch.attempt + 1, ...waitingLonger(tx, batch) },
      };
  }
}

/**
 * Takes batches away from dead workers. A worker is dead when its advisory lock is free (instance.ts). `preparing` goes
 * back to `ready`: nothing was written, and without the token a holder that wakes up cannot send. `sending` becomes
 * `unknown`, because bytes may have left. Expired leases are handled the same way, even while the worker lives.
 *
 * A lock lost during a brief outage may return right after this check. So workers of this process never count as dead.
 * For a while after this process regained its own lock, no worker does.
 *
 * All times come from the database, which all processes share. A clock that jumps on one host puts no call in doubt.
 * @param longestCallMs longest time that a call may take by its timeouts; a `sending` batch whose lease ended longer
 *   ago than that has lost its worker
 * @returns the batches that were moved, as they were before
 */
export async function recoverBatches(ledger: Ledger, longestCallMs: number): Promise<BatchRow[]> {
  return transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<BatchRow>(
      `SELECT * FROM batch
       WHERE state IN ('preparing', 'sending')
         AND (($2 AND worker <> $3 AND pg_try_advisory_xact_lock($1, hashtext(worker)))
              OR (state = 'preparing' AND lease_until < clock_timestamp())
              OR (state = 'sending' AND lease_until < clock_timestamp() - $4 * interval '1 millisecond'))
       FOR UPDATE SKIP LOCKED`,
      [ALIVE_LOCKS, ledger.instance.isSettled(), ledger.instance.id, longestCallMs],
    );
    for (const batch of rows) {
      const key = { fileId: batch.file_id, batchNo: batch.batch_no };
      if (batch.state === 'preparing') {
        const because = { actor: 'worker:sweep', reason: 'its worker died; nothing was written' };
        await moveBatch(tx, 'release', key, because, { set: NOBODY });
      } else {
        const evidence = { worker: batch.worker, attempt: batch.attempt };
        const because = { actor: 'worker:sweep', reason: 'its worker died during the call', evidence };
        await moveBatch(tx, 'doubt', key, because, {
          set: NOBODY,
          also: closing(tx, batch.attempt, { verdict: 'unknown', evidence }),
        });
      }
    }
    return rows;
  });
}
