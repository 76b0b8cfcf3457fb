import { hasCome, IS_OPEN } from './conditions.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';
import { transact, type Transaction } from '../engine/transaction.ts';
import { type AuditReason, type BatchKey, keyOf, moveBatch } from '../engine/move.ts';
import { storableText } from '../engine/storable-text.ts';
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

/** A batch as it was when the service was asked, what that showed, and when it is asked again. */
export type Asked = { batch: BatchRow; delayMs: number; note: PollNote };

/** What a poll changed. Operators are notified once, not on every poll. */
export type PollNews = { batch: BatchRow; isNewlyStale: boolean; isNewAlarm: boolean };

/**
 * Schedules the next polls of batches, one or many, and records what is worth an alarm. The state stays, except after too
 * many unknown texts. All processes lock batches in one order, so that none waits for another that waits for it.
 * @returns for each what it changed; undefined when somebody has asked meanwhile, or it no longer waits for a result
 */
export async function schedulePolls(ledger: Ledger, asked: readonly Asked[]): Promise<(PollNews | undefined)[]> {
  return transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<BatchRow>(PUT_OFF, [
      JSON.stringify(asked.map((one) => columnsOf(tx.at, one))),
    ]);
    const news: (PollNews | undefined)[] = [];
    for (const { batch: before, note } of asked) {
      const key = keyOf(before);
      const batch = rows.find((row) => row.file_id === key.fileId && row.batch_no === key.batchNo);
      news.push(batch && { batch: await noteNews(tx, batch, note, newsOf(before, note)), ...newsOf(before, note) });
    }
    return news;
  });
}

function newsOf(before: BatchRow, note: PollNote): Omit<PollNews, 'batch'> {
  return {
    isNewlyStale: note.isStale === true && before.stale_since === null,
    isNewAlarm: note.alarm !== undefined && note.alarm !== before.poll_alarm,
  };
}

function columnsOf(at: Date, { batch: before, delayMs, note }: Asked): Record<string, unknown> {
  return {
    ...keyOf(before),
    batchId: before.batch_id,
    polls: before.polls,
    nextAt: new Date(at.getTime() + delayMs),
    staleSince: newsOf(before, note).isNewlyStale ? at : before.stale_since,
    alarm: storableText(note.alarm ?? before.poll_alarm ?? '') || null,
    notKnown: countNotKnown(before, note),
  };
}

const PUT_OFF = `
  WITH asked AS (
    SELECT b.file_id, b.batch_no, a."nextAt", a."staleSince", a.alarm, a."notKnown"
    FROM jsonb_to_recordset($1) AS a ("fileId" text, "batchNo" integer, "batchId" text, polls integer, "nextAt" timestamptz,
      "staleSince" timestamptz, alarm text, "notKnown" integer)
    JOIN batch b ON b.file_id = a."fileId" AND b.batch_no = a."batchNo"
    WHERE b.state IN ('submitted', 'exception') AND b.polls = a.polls AND b.batch_id IS NOT DISTINCT FROM a."batchId"
    ORDER BY b.file_id, b.batch_no FOR UPDATE OF b)
  UPDATE batch SET polls = batch.polls + 1, next_poll_at = asked."nextAt", stale_since = asked."staleSince",
    poll_alarm = asked.alarm, not_known_polls = asked."notKnown"
  FROM asked WHERE batch.file_id = asked.file_id AND batch.batch_no = asked.batch_no RETURNING batch.*`;

/** @returns the batch as it is then */
async function noteNews(
  tx: Transaction,
  batch: BatchRow,
  note: PollNote,
  { isNewlyStale, isNewAlarm }: Omit<PollNews, 'batch'>,
): Promise<BatchRow> {
  const [key, actor] = [keyOf(batch), 'worker:poll'];
  if (isNewlyStale) tx.audit({ ...key, actor, move: 'stale', reason: 'the result is overdue; paydrop keeps asking' });
  if (isNewAlarm)
    tx.audit({ ...key, actor, move: 'alarm', reason: `the service returned an unknown text: ${note.alarm}` });
  const isDenied = batch.state === 'submitted' && batch.not_known_polls >= MOST_NOT_KNOWN;
  return (isDenied ? await deny(tx, key, note.alarm!) : undefined) ?? batch;
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

/**
 * Returns the time in which half of the last results of an account were there, in ms, as far as our questions tell; undefined
 * while it has fewer than these.
 */
export async function readUsualResultMs(
  { pool }: Ledger,
  account: string,
  fewest: number,
): Promise<number | undefined> {
  const { rows } = await pool.query<{ results: number; ms: number | null }>(
    `SELECT count(*)::int AS results, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::double precision AS ms FROM (
       SELECT extract(epoch FROM result_at - submitted_at) * 1000 AS ms FROM batch
       WHERE account = $1 AND final_at IS NOT NULL AND state = 'reconciled' AND result_at >= submitted_at
       ORDER BY final_at DESC LIMIT 50) AS latest`,
    [account],
  );
  const { results, ms } = rows[0]!;
  return results < fewest ? undefined : (ms ?? undefined);
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

/** SQL condition on `batch`: its result may be asked for again. */
export const MAY_RECHECK = 'may_recheck(batch.file_id, batch.state, batch.batch_id)';

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
