import { keyOf, moveBatch } from '../engine/move.ts';
import { ALIVE_LOCKS } from '../engine/instance.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';
import { storableJson } from '../engine/storable-text.ts';
import { transact } from '../engine/transaction.ts';
import type { Call } from './commit-send.ts';
import { NOBODY } from './conditions.ts';

/**
 * Takes batches away from dead workers. A worker is dead when its advisory lock is free (instance.ts). The batch becomes
 * `unknown`, because bytes may have left. So does one whose lease ended long ago, even while its worker lives.
 *
 * A lock lost during a brief outage may return right after this check. So workers of this process never count as dead.
 * For a while after this process regained its own lock, no worker does.
 *
 * All times come from the database, which all processes share. A clock that jumps on one host puts no call in doubt.
 * @param longestCallMs longest time that a call may take by its timeouts; a batch whose lease ended longer ago than that
 *   has lost its worker
 * @returns the batches that were moved, as they were before
 */
export async function recoverBatches(ledger: Ledger, longestCallMs: number): Promise<BatchRow[]> {
  return transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<BatchRow>(
      `SELECT * FROM batch
       WHERE state = 'sending'
         AND (($2 AND worker <> $3 AND pg_try_advisory_xact_lock($1, hashtext(worker)))
              OR lease_until < clock_timestamp() - $4 * interval '1 millisecond')
       FOR UPDATE SKIP LOCKED`,
      [ALIVE_LOCKS, ledger.instance.isSettled(), ledger.instance.id, longestCallMs],
    );
    for (const batch of rows) {
      const evidence = { worker: batch.worker, attempt: batch.attempt };
      const because = { actor: 'worker:sweep', reason: 'its worker died or fell silent during the call', evidence };
      await moveBatch(tx, 'doubt', keyOf(batch), because, {
        set: NOBODY,
        also: {
          sql: `UPDATE attempt SET ended_at = ${tx.databaseNow}, verdict = 'unknown', evidence = $2 FROM moved
                WHERE attempt.file_id = moved.file_id AND attempt.batch_no = moved.batch_no AND attempt.attempt = $1`,
          values: [batch.attempt, storableJson(evidence)],
        },
      });
    }
    return rows;
  });
}

/** Records the time of the service's clock right after a call without an answer. */
export async function noteServiceTime(ledger: Ledger, call: Call, at: Date): Promise<void> {
  await ledger.pool.query(
    `UPDATE attempt SET service_at = $4
     WHERE file_id = $1 AND batch_no = $2 AND attempt = $3 AND verdict = 'unknown' AND service_at IS NULL`,
    [call.file_id, call.batch_no, call.attempt, at],
  );
}
