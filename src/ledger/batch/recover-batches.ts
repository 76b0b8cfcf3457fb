import { ALIVE_LOCKS } from '../engine/instance.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';
import { transact } from '../engine/transaction.ts';
import { closing, NOBODY } from './end-attempt.ts';
import { moveBatch } from '../engine/move.ts';

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
        const because = { actor: 'worker:sweep', reason: 'its worker is gone; nothing was written' };
        await moveBatch(tx, 'release', key, because, { set: NOBODY });
      } else {
        const evidence = { worker: batch.worker, attempt: batch.attempt };
        const because = { actor: 'worker:sweep', reason: 'its worker is gone in the middle of the call', evidence };
        await moveBatch(tx, 'doubt', key, because, {
          set: NOBODY,
          also: closing(tx, batch.attempt, { verdict: 'unknown', evidence }),
        });
      }
    }
    return rows;
  });
}
