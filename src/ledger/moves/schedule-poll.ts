import type { Ledger } from '../open-ledger.ts';
import type { BatchRow } from '../records.ts';
import { type Transaction, transact } from '../transaction.ts';
import type { BatchKey } from './move.ts';

/** What a question without a result has shown: that the result is overdue, or a text that nobody knows. */
export type PollNote = { isStale?: boolean; alarm?: string };

/** What is new of it. A person is told once, not with each question. */
export type PollNews = { batch: BatchRow; isNewlyStale: boolean; isNewAlarm: boolean };

/**
 * Not done yet: remembers when to ask again, and what is worth an alarm. Not a move, the state stays.
 * @returns undefined when the batch does not wait for a result any more
 */
export async function schedulePoll(
  ledger: Ledger,
  key: BatchKey,
  delayMs: number,
  note: PollNote = {},
): Promise<PollNews | undefined> {
  return transact(ledger, async (tx) => {
    const before = await lockBatch(tx, key);
    if (!before) return undefined;
    const isNewlyStale = note.isStale === true && before.stale_since === null;
    const isNewAlarm = note.alarm !== undefined && note.alarm !== before.poll_alarm;
    const { rows } = await tx.client.query<BatchRow>(
      `UPDATE batch SET polls = polls + 1, next_poll_at = $3, stale_since = $4, poll_alarm = $5
       WHERE file_id = $1 AND batch_no = $2 RETURNING *`,
      [
        key.fileId,
        key.batchNo,
        new Date(tx.at.getTime() + delayMs),
        isNewlyStale ? tx.at : before.stale_since,
        note.alarm ?? before.poll_alarm,
      ],
    );
    const actor = 'worker:poll';
    if (isNewlyStale) tx.audit({ ...key, actor, move: 'stale', reason: 'the result is overdue; it is asked for on' });
    if (isNewAlarm)
      tx.audit({ ...key, actor, move: 'alarm', reason: `the service says a text that is not known: ${note.alarm}` });
    return { batch: rows[0]!, isNewlyStale, isNewAlarm };
  });
}

async function lockBatch(tx: Transaction, key: BatchKey): Promise<BatchRow | undefined> {
  const { rows } = await tx.client.query<BatchRow>(
    `SELECT * FROM batch WHERE file_id = $1 AND batch_no = $2 AND state IN ('submitted', 'exception') FOR UPDATE`,
    [key.fileId, key.batchNo],
  );
  return rows[0];
}
