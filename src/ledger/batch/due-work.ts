import type { OutputKind } from '../../../schemas/lifecycle.ts';
import { HOME_SITE, type QueueName } from '../../../schemas/jobs.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchKey } from '../engine/move.ts';
import { boundKeys } from '../merchant/bound-accounts.ts';
import { hasCome, IS_OPEN, IS_SENDABLE } from './conditions.ts';
import { LONGEST_RELEASE_MS } from './prepare-batch.ts';
import { LONGEST_RECHECK_MS, LONGEST_REPOLL_MS, MAY_RECHECK } from './schedule-poll.ts';
import type { BatchRow } from '../engine/records.ts';
import { UNWRITTEN_CORRECTIONS } from '../row/change-outcomes.ts';

/** Most things that one question returns. */
const MOST = 1_000;

/**
 * Returns files of a site that are due, in the order in which they came, without what a process works on.
 * `intake`: claimed and not checked. `deliver`: an output can be written that is not there.
 */
export async function findDueFiles(
  ledger: Ledger,
  stage: 'intake' | 'deliver',
  { site = HOME_SITE, limit = MOST }: { site?: string | undefined; limit?: number } = {},
): Promise<string[]> {
  const { rows } = await ledger.pool.query<{ file_id: string }>(
    `SELECT f.file_id FROM file f
     WHERE f.site = $1 AND ${DUE_FILES[stage]} AND NOT is_taken($2, f.file_id, ${ledger.databaseNow()})
     ORDER BY f.file_no LIMIT $3`,
    [site, stage, limit],
  );
  return rows.map((row) => row.file_id);
}

/**
 * Returns batches whose result should be asked for now, or is here and not judged, by when they are due. Those that no
 * process works on; a finished batch is asked for again when that is due.
 * @param longestRecheckMs longest wait before that
 */
export async function findDueBatches(
  ledger: Ledger,
  { longestRecheckMs = LONGEST_RECHECK_MS, limit = MOST }: { longestRecheckMs?: number; limit?: number } = {},
): Promise<BatchRow[]> {
  const free = `NOT is_taken('poll', file_id || '/' || batch_no, ${ledger.databaseNow()})`;
  const { rows } = await ledger.pool.query<BatchRow>(
    `(SELECT * FROM batch WHERE ${IS_OPEN} AND state = 'result_in' AND ${free} LIMIT $2)
     UNION ALL
     (SELECT * FROM batch WHERE ${IS_OPEN} AND state IN ('submitted', 'exception')
        AND ((next_poll_at IS NULL AND state = 'submitted') OR ${hasCome('next_poll_at', '$1', LONGEST_REPOLL_MS)}) AND ${free}
      ORDER BY next_poll_at NULLS FIRST, submitted_at, file_id, batch_no LIMIT $2)
     UNION ALL
     (SELECT * FROM batch WHERE ${hasCome('next_recheck_at', '$1', longestRecheckMs)} AND ${MAY_RECHECK} AND ${free}
      ORDER BY next_recheck_at LIMIT $2)
     LIMIT $2`,
    [ledger.clock.now(), limit],
  );
  return rows;
}

/** Returns those of these accounts that have a batch which may be sent now and that no process sends for. */
export async function findDueAccounts(ledger: Ledger, accounts: readonly string[]): Promise<string[]> {
  const { rows } = await ledger.pool.query<{ account: string }>(
    `SELECT waiting.account FROM unnest($2::text[]) AS waiting (account) ${NEXT_TO_SEND}
     WHERE ${MAY_SEND_NOW} AND is_bound(waiting.account, $3)
       AND NOT is_taken('submit', waiting.account, ${ledger.databaseNow()})`,
    [ledger.clock.now(), accounts, boundKeys(ledger)],
  );
  return rows.map(({ account }) => account);
}

/**
 * Returns when the next thing of a stage becomes due by itself; null when only a ring tells.
 * @param since when the stage looked last: what was due by then and was not taken waits for something else
 */
export async function readNextDue(ledger: Ledger, stage: QueueName, since: Date): Promise<Date | null> {
  const times = [...(NEXT_TIMES[stage] ?? []), 'SELECT min(until) FROM taken WHERE stage = $1 AND until > $2'];
  const { rows } = await ledger.pool.query<{ at: Date | null }>(
    `SELECT min(at) AS at FROM (${times.join(' UNION ALL ')}) AS times (at) WHERE at > $2`,
    [stage, since],
  );
  return rows[0]!.at;
}

/** SQL of the times after $2 at which things of a stage become due. */
const NEXT_TIMES: Partial<Record<QueueName, readonly string[]>> = {
  submit: [`SELECT min(not_before) FROM batch WHERE state = 'ready' AND not_before > $2`],
  poll: [
    'SELECT min(next_poll_at) FROM batch WHERE next_poll_at > $2',
    'SELECT min(next_recheck_at) FROM batch WHERE next_recheck_at > $2',
  ],
};

/**
 * Returns the batch of an account that may be sent now. Batches of one account go in file order. An account that waits, is
 * stopped or has a call in flight has none.
 */
export async function findSendable(ledger: Ledger, account: string): Promise<BatchKey | undefined> {
  const { rows } = await ledger.pool.query<{ file_id: string; batch_no: number }>(
    `SELECT next.file_id, next.batch_no FROM (SELECT $2::text AS account) waiting ${NEXT_TO_SEND}
     WHERE ${MAY_SEND_NOW} AND is_bound(waiting.account, $3)`,
    [ledger.clock.now(), account, boundKeys(ledger)],
  );
  return rows[0] && { fileId: rows[0].file_id, batchNo: rows[0].batch_no };
}

const READY_ACCOUNTS = `SELECT DISTINCT account FROM batch WHERE ${IS_OPEN} AND state = 'ready'`;

/** SQL that joins to each account `waiting` the batch `next` that it sends next. */
const NEXT_TO_SEND = 'CROSS JOIN LATERAL next_to_send(waiting.account) next';

/** SQL condition on both: it may be sent now. $1 is now. */
const MAY_SEND_NOW = `(next.not_before IS NULL OR ${hasCome('next.not_before', '$1', LONGEST_RELEASE_MS)})
       AND may_leave(waiting.account, next.file_id, next.body_sha256) AND NOT is_calling(waiting.account)`;

/**
 * SQL condition on a batch: whom its account means is settled. No process sends for a former name, or for an account that
 * waits for an answer about its address. A reader need not have bound the accounts of its own configuration.
 */
const HAS_MERCHANT = `batch.account NOT LIKE '%.%' AND NOT EXISTS (SELECT FROM address_question q WHERE q.account = batch.account)`;

/** How much is due, and since when the oldest. */
export type DueSum = { count: number; since: Date | null };

/** Sums up the batches of the accounts that may send now. @param closed accounts outside their sending window */
export async function sumSendable({ pool, clock }: Ledger, closed: readonly string[]): Promise<DueSum> {
  const { rows } = await pool.query<DueSum>(
    `SELECT count(*)::int AS count, min(ready.state_at) AS since
     FROM (${READY_ACCOUNTS} AND ${HAS_MERCHANT}) waiting ${NEXT_TO_SEND}
     JOIN batch ready ON ready.account = waiting.account AND ready.${IS_OPEN} AND ready.state = 'ready'
     WHERE ${MAY_SEND_NOW} AND waiting.account <> ALL ($2)`,
    [clock.now(), closed],
  );
  return rows[0]!;
}

/** Returns the batch that an account sends next, whether or not it may be sent now. */
export async function readNextBatch(ledger: Ledger, account: string): Promise<BatchRow | undefined> {
  const { rows } = await ledger.pool.query<BatchRow>(
    'SELECT batch.* FROM next_to_send($1) next JOIN batch USING (file_id, batch_no)',
    [account],
  );
  return rows[0];
}

/** Sums up the batches whose result should be asked for now, or is here and not judged. */
export async function sumToPoll({ pool, clock }: Ledger): Promise<DueSum> {
  const dueAt = 'coalesce(next_poll_at, submitted_at, state_at)';
  const { rows } = await pool.query<DueSum>(
    `SELECT count(*)::int AS count, min(at) AS since FROM (
       SELECT ${dueAt} AS at FROM batch
       WHERE ${IS_OPEN} AND (state = 'result_in'
         OR (state IN ('submitted', 'exception') AND ${hasCome(dueAt, '$1', LONGEST_REPOLL_MS)}))
       UNION ALL
       SELECT next_recheck_at FROM batch WHERE ${hasCome('next_recheck_at', '$1', LONGEST_RECHECK_MS)} AND ${MAY_RECHECK}) due`,
    [clock.now()],
  );
  return rows[0]!;
}

/** Sums up the files of a site that are claimed and not checked. */
export function sumClaimed(ledger: Ledger, site: string): Promise<DueSum> {
  return sumFiles(ledger, site, IS_CLAIMED);
}

/** Sums up the files of a site that lack an output. */
export function sumDeliverable(ledger: Ledger, site: string): Promise<DueSum> {
  return sumFiles(ledger, site, IS_DELIVERABLE);
}

/** Returns whether a file lacks an output that can be written now. */
export async function isDeliverable({ pool }: Ledger, fileId: string): Promise<boolean> {
  const { rowCount } = await pool.query(`SELECT FROM file f WHERE f.file_id = $1 AND ${IS_DELIVERABLE}`, [fileId]);
  return rowCount === 1;
}

async function sumFiles({ pool }: Ledger, site: string, condition: string): Promise<DueSum> {
  const { rows } = await pool.query<DueSum>(
    `SELECT count(*)::int AS count, min(f.state_at) AS since FROM file f WHERE f.site = $1 AND ${condition}`,
    [site],
  );
  return rows[0]!;
}

const IS_CLAIMED = `f.state = 'claimed'`;

/**
 * SQL condition on a file `f` that lacks an output: the notice of its verdict, the results once none of its batches is
 * open, or a correction.
 */
export const IS_DELIVERABLE = `(
     (f.${IS_SENDABLE} AND ${lacks('ack')})
  OR (f.state = 'held' AND ${lacks('held')})
  OR (f.state = 'rejected' AND ${lacks('nak')})
  OR (f.state = 'cancelled' AND ${lacks('cancelled')})
  OR (f.state = 'partly_cancelled' AND ${lacks('summary-txt')})
  OR (f.${IS_SENDABLE}
      AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.file_id = f.file_id AND b.${IS_OPEN}))
  OR f.file_no IN (SELECT c.file_no FROM (${UNWRITTEN_CORRECTIONS}) c))`;

function lacks(kind: OutputKind): string {
  return `NOT EXISTS (SELECT 1 FROM output o WHERE o.file_id = f.file_id AND o.kind = '${kind}')`;
}

const DUE_FILES = { intake: IS_CLAIMED, deliver: IS_DELIVERABLE } as const;
