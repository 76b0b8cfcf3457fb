import type { FileState } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../open-ledger.ts';
import { transact } from '../transaction.ts';
import { moveBatch, moveFile } from './move.ts';
import { MAY_LEAVE, type Prepared } from './prepare-batch.ts';
import { lockForSend } from './stop-lock.ts';

/**
 * Move `send`: the durable statement that request bytes may leave from now on. It succeeds only while the token is ours
 * and the lease is alive by the database's clock, so a process that slept through its lease cannot send. Connecting takes
 * its time, so whether the account may send at all is asked once more: it may have been stopped meanwhile.
 * @returns false when the batch is no longer ours or its account has closed: nothing may be written
 */
export async function sendBatch(
  ledger: Ledger,
  batch: Prepared,
  call: { host: string; requestBytes: number },
): Promise<boolean> {
  const key = { fileId: batch.file_id, batchNo: batch.batch_no };
  return transact(ledger, async (tx) => {
    await lockForSend(tx);
    const row = await moveBatch(
      tx,
      'send',
      key,
      {
        actor: 'worker:submit',
        reason: `attempt ${batch.attempt} begins`,
        evidence: { ...call, sha256: batch.body_sha256 },
      },
      { where: { sql: `token = $1 AND lease_until > clock_timestamp() AND ${MAY_LEAVE}`, values: [batch.token] } },
    );
    if (!row) return false;
    const { rows } = await tx.client.query<{ file_state: FileState }>(
      `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING (SELECT state FROM file WHERE file_id = $1) AS file_state`,
      [key.fileId, key.batchNo, batch.attempt, ledger.instance.id, call.host, call.requestBytes, tx.at],
    );
    if (rows[0]?.file_state === 'accepted')
      await moveFile(tx, 'begin', key.fileId, { actor: 'worker:submit', reason: 'the first batch is being sent' });
    return true;
  });
}
