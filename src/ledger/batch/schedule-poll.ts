import { hasCome, IS_OPEN } from './conditions.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';
import { transact, type Transaction } from '../engine/transaction.ts';
import { type AuditReason, type BatchKey, moveBatch } from '../engine/move.ts';
import { PipelineError } from '../../kernel/errors.ts';

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
type PollNews = { batch: BatchRow; isNewlyStale: boolean; isNewAlarm: boolean };

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
    if (isNewlyStale) tx.audit({ ...key, actor, move: 'stale', reason: 'the result is overdue; paydrop keeps asking' });
    if (isNewAlarm)
      tx.audit({ ...key, actor, move: 'alarm', reason: `the service returned an unknown text: ${note.alarm}` });
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
  const reason = `the service answered ${MOST_NOT_KNOWN} times for its batch id: ${said}`;
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

type PollLag = {
  account: string;
  /** Batches without a result, or with one that did not fit and is polled again. */
  waiting: number;
  /** Those overdue by the account's `poll.staleMs`. */
  overdue: number;
  /** When the oldest poll was due; in the future when no poll is late. */
  dueAt: Date;
};

/** Returns the lag per account. A batch never polled is due from when the service accepted it. */
export async function readPollLag(ledger: Ledger): Promise<PollLag[]> {
  const { rows } = await ledger.pool.query<PollLag>(
    `SELECT account, count(*) AS waiting, count(stale_since) AS overdue,
            min(coalesce(next_poll_at, submitted_at, state_at)) AS "dueAt"
     FROM batch
     WHERE ${IS_OPEN}
       AND (state = 'submitted' OR (state = 'exception' AND next_poll_at IS NOT NULL))
     GROUP BY account ORDER BY account`,
  );
  return rows;
}

/**
 * Makes the next poll of a batch due now. This is no move: a poll only reads and may be repeated freely.
 * @throws PipelineError MOVE_REFUSED for a batch without a batch id from the service, ORIGINAL_GONE after its retention
 */
export async function pollNow(ledger: Ledger, key: BatchKey, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    await mustHaveOriginal(tx, key);
    if (!(await makeDue(tx, key)))
      throw new PipelineError('MOVE_REFUSED', actionOf(key), 'the service has given it no batch id');
    tx.audit({ ...because, ...key, move: 'repoll' });
  });
}

/** Throws if the file was destroyed: another result could be neither sealed nor written into a correction. */
async function mustHaveOriginal(tx: Transaction, key: BatchKey): Promise<void> {
  const { rowCount } = await tx.client.query('SELECT FROM file WHERE file_id = $1 AND shredded_at IS NOT NULL', [
    key.fileId,
  ]);
  if (rowCount) throw new PipelineError('ORIGINAL_GONE', actionOf(key));
}

function actionOf({ fileId, batchNo }: BatchKey): string {
  return `ask for the result of batch ${batchNo} of file "${fileId}"`;
}

async function makeDue(tx: Transaction, key: BatchKey): Promise<boolean> {
  const { rowCount } = await tx.client.query(
    `UPDATE batch SET next_poll_at = CASE WHEN state IN ('submitted', 'exception') THEN $3::timestamptz END,
                      next_recheck_at = CASE WHEN state = 'reconciled' THEN $3::timestamptz END
     WHERE file_id = $1 AND batch_no = $2 AND batch_id IS NOT NULL
       AND state IN ('submitted', 'result_in', 'exception', 'reconciled')`,
    [key.fileId, key.batchNo, tx.at],
  );
  return rowCount === 1;
}

/**
 * SQL condition on `batch` for a recheck. The result file of its payment file must exist, because later findings go
 * into a correction of it. The original must exist too, because a correction needs it.
 */
export const MAY_RECHECK = `batch.state = 'reconciled' AND batch.batch_id IS NOT NULL
  AND EXISTS (SELECT 1 FROM output o WHERE o.file_id = batch.file_id AND o.kind = 'result')
  AND NOT EXISTS (SELECT 1 FROM file f WHERE f.file_id = batch.file_id AND f.shredded_at IS NOT NULL)`;

/** Longest wait before a recheck that the configuration allows, in ms. */
export const LONGEST_RECHECK_MS = 366 * 86_400_000;

/**
 * Claims a recheck that is due. Only one worker gets it. If that worker dies or cannot reach the service, it is due
 * again after `retryMs`.
 * @param longestMs longest wait before a recheck
 */
export async function takeRecheck(
  ledger: Ledger,
  key: BatchKey,
  retryMs: number,
  longestMs = LONGEST_RECHECK_MS,
): Promise<BatchRow | undefined> {
  const nowMs = ledger.clock.now().getTime();
  const { rows } = await ledger.pool.query<BatchRow>(
    `UPDATE batch SET next_recheck_at = $4
     WHERE file_id = $1 AND batch_no = $2 AND ${hasCome('next_recheck_at', '$3', longestMs)} AND ${MAY_RECHECK} RETURNING *`,
    [key.fileId, key.batchNo, new Date(nowMs), new Date(nowMs + retryMs)],
  );
  return rows[0];
}

/** Records that a recheck is done, and when the next one is due, if any. */
export async function endRecheck(ledger: Ledger, batch: BatchRow, next: Date | null): Promise<void> {
  await ledger.pool.query(
    `UPDATE batch SET rechecks = rechecks + 1, next_recheck_at = $4
     WHERE file_id = $1 AND batch_no = $2 AND rechecks = $3`,
    [batch.file_id, batch.batch_no, batch.rechecks, next],
  );
}

/** Keeps a later result sealed. The caller passes one that changed something or does not fit. */
export async function keepLaterResult(
  ledger: Ledger,
  batch: BatchRow,
  sealed: Buffer,
  alarm?: { reason: string; evidence: Record<string, unknown> },
): Promise<void> {
  const { file_id: fileId, batch_no: batchNo } = batch;
  await transact(ledger, async (tx) => {
    await tx.client.query(
      `INSERT INTO sealed_part (file_id, batch_no, part, bytes) VALUES ($1, $2, $3, $4)
       ON CONFLICT (file_id, batch_no, part) DO UPDATE SET bytes = excluded.bytes`,
      [fileId, batchNo, laterPart(batch), sealed],
    );
    if (alarm) tx.audit({ fileId, batchNo, actor: 'worker:poll', move: 'alarm', ...alarm });
  });
}

/** Returns the name of the sealed part for what this recheck brought. */
export function laterPart(batch: Pick<BatchRow, 'rechecks'>): `recheck-${number}` {
  return `recheck-${batch.rechecks + 1}`;
}
