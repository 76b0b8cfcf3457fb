import type { FileState } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import { queryInOne } from '../engine/query-together.ts';
import { moveBatch, moveFile } from '../engine/move.ts';
import { isBound, MAY_LEAVE, type Prepared } from './prepare-batch.ts';
import { boundKeys } from '../merchant/bound-accounts.ts';
import { lockForSend } from '../account/pause-account.ts';

/**
 * Move `send`: records durably that request bytes may leave from now on. It requires this worker's token and a lease
 * still valid by the database clock. So a process that slept through its lease cannot send. It checks again whether
 * ledger and account may send, and whom the account means: any of it may have changed while connecting.
 * @returns false when another process holds the batch or its account has closed: nothing may be written
 */
export async function sendBatch(ledger: Ledger, batch: Prepared, call: Call): Promise<boolean> {
  return transact(ledger, async (tx) => {
    // One message, two statements: the move sees everything committed while the lock was awaited.
    const [, row] = await queryInOne(tx, (asked) => [lockForSend(asked), moveToSending(asked, ledger, batch, call)]);
    if (!row) return false;
    if (row.file_state === 'accepted')
      await moveFile(tx, 'begin', row.file_id, { actor: 'worker:submit', reason: 'the first batch is being sent' });
    return true;
  });
}

type Call = { host: string; requestBytes: number };

function moveToSending(tx: Transaction, ledger: Ledger, batch: Prepared, call: Call) {
  return moveBatch<{ file_state: FileState }>(
    tx,
    'send',
    { fileId: batch.file_id, batchNo: batch.batch_no },
    {
      actor: 'worker:submit',
      reason: `attempt ${batch.attempt} begins`,
      evidence: { ...call, sha256: batch.body_sha256 },
    },
    {
      where: {
        sql: `token = $1 AND lease_until > clock_timestamp() AND is_admitted($2, $3) AND ${isBound('$4')} AND ${MAY_LEAVE}`,
        values: [batch.token, batch.sender.journal, batch.sender.epoch, boundKeys(ledger)],
      },
      also: {
        sql: `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, host_at, call_no, call,
                                   journal)
              SELECT file_id, batch_no, $1::integer, $2, $3, $4::integer, ${tx.databaseNow}, $5::timestamptz,
                     nextval('call_no'), $6::uuid, $7::uuid FROM moved`,
        values: [
          batch.attempt,
          ledger.instance.id,
          call.host,
          call.requestBytes,
          tx.at,
          // Unique to one try of one process, it identifies the call across ledgers.
          batch.token,
          batch.sender.journal,
        ],
      },
      tell: '(SELECT f.state FROM file f WHERE f.file_id = batch.file_id) AS file_state',
    },
  );
}
