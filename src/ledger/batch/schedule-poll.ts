import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import { type BatchKey, moveBatch } from '../engine/move.ts';

/**
 * What a poll without a result showed: an overdue result, or a text that paydrop does not know. `isSilent` means no
 * answer, which says nothing about the batch.
 */
export type PollNote = { isStale?: boolean; alarm?: string; isSilent?: boolean };

/** The same unknown text this many times in a row is no passing problem of the service. */
const MOST_NOT_KNOWN = 10;

/** Longest wait before a result that did not fit is fetched again, in ms. */
export const LONGEST_REPOLL_MS = 86_400_000;

/** What this poll changed. Operators are notified once, not on every poll. */
export type PollNews = { batch: BatchRow; isNewlyStale: boolean; isNewAlarm: boolean };

/**
 * Schedules the next poll and records what is worth an alarm. The state stays, except after too many unknown texts.
 * @returns undefined when the batch no longer waits for a result
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
      `UPDATE batch SET polls = polls + 1, next_poll_at = $3, stale_since = $4, poll_alarm = $5, not_known_polls = $6
       WHERE file_id = $1 AND batch_no = $2 RETURNING *`,
      [
        key.fileId,
        key.batchNo,
        new Date(tx.at.getTime() + delayMs),
        isNewlyStale ? tx.at : before.stale_since,
        note.alarm ?? before.poll_alarm,
        countNotKnown(before, note),
      ],
    );
    const actor = 'worker:poll';
    if (isNewlyStale) tx.audit({ ...key, actor, move: 'stale', reason: 'the result is overdue; it is asked for on' });
    if (isNewAlarm)
      tx.audit({ ...key, actor, move: 'alarm', reason: `the service says a text that is not known: ${note.alarm}` });
    const batch = rows[0]!;
    const isDenied = batch.state === 'submitted' && batch.not_known_polls >= MOST_NOT_KNOWN;
    const denied = isDenied ? await deny(tx, key, note.alarm!) : undefined;
    return { batch: denied ?? batch, isNewlyStale, isNewAlarm };
  });
}

function countNotKnown(before: BatchRow, note: PollNote): number {
  if (note.isSilent) return before.not_known_polls;
  if (note.alarm === undefined) return 0;
  return note.alarm === before.poll_alarm ? before.not_known_polls + 1 : 1;
}

/** Move `distrust`: keeps the batch id and the polling. An operator can assign another or put the batch in doubt. */
async function deny(tx: Transaction, key: BatchKey, said: string): Promise<BatchRow | undefined> {
  const reason = `the service has said ${MOST_NOT_KNOWN} times about its batch id: ${said}`;
  const set = { next_poll_at: new Date(tx.at.getTime() + LONGEST_REPOLL_MS) };
  return moveBatch(tx, 'distrust', key, { actor: 'worker:poll', reason, evidence: { said } }, { set });
}

async function lockBatch(tx: Transaction, key: BatchKey): Promise<BatchRow | undefined> {
  const { rows } = await tx.client.query<BatchRow>(
    `SELECT * FROM batch WHERE file_id = $1 AND batch_no = $2 AND state IN ('submitted', 'exception') FOR UPDATE`,
    [key.fileId, key.batchNo],
  );
  return rows[0];
}
