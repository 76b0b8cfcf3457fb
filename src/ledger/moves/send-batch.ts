import type { Ledger } from '../open-ledger.ts';
import { transact } from '../transaction.ts';
import { moveBatch, moveFile } from './move.ts';
import type { Prepared } from './prepare-batch.ts';

/**
 * Move `send`: the durable statement that request bytes may leave from now on. It succeeds only while the token is ours
 * and the lease is alive by the database's clock, so a process that slept through its lease cannot send.
 * @returns false when the batch is no longer ours: nothing may be written
 */
export async function sendBatch(
  ledger: Ledger,
  batch: Prepared,
  call: { host: string; requestBytes: number },
): Promise<boolean> {
  const key = { fileId: batch.file_id, batchNo: batch.batch_no };
  return transact(ledger, async (tx) => {
    // A server that is set to answer before its disk has the commit would lose the intent in a power cut.
    await tx.client.query('SET LOCAL synchronous_commit = on');
    const row = await moveBatch(
      tx,
      'send',
      key,
      {
        actor: 'worker:submit',
        reason: `attempt ${batch.attempt} begins`,
        evidence: { ...call, sha256: batch.body_sha256 },
      },
      { where: { sql: 'token = $1 AND lease_until > clock_timestamp()', values: [batch.token] } },
    );
    if (!row) return false;
    await tx.client.query(
      `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [key.fileId, key.batchNo, batch.attempt, ledger.instance.id, call.host, call.requestBytes, tx.at],
    );
    await moveFile(tx, 'begin', key.fileId, { actor: 'worker:submit', reason: 'the first batch is being sent' });
    return true;
  });
}
