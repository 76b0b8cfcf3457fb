import type { OutputKind } from '../../../schemas/lifecycle.ts';
import { HOME_SITE } from '../../../schemas/jobs.ts';
import type { Due } from '../stage/taken.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { boundKeys, isFormerNameSql } from '../merchant/bound-accounts.ts';
import { hasCome, IS_OPEN, IS_SENDABLE } from './conditions.ts';
import { LONGEST_RELEASE_MS } from './commit-send.ts';
import { LONGEST_RECHECK_MS, LONGEST_REPOLL_MS, MAY_RECHECK } from './schedule-poll.ts';
import type { BatchRow } from '../engine/records.ts';
import { UNWRITTEN_CORRECTIONS } from '../row/change-outcomes.ts';

/**
 * Asks for files of a site in the order in which they came. `intake`: claimed and not checked. `deliver`: an output can be
 * written that is not there.
 */
export function dueFiles(ledger: Ledger, stage: 'intake' | 'deliver', site = HOME_SITE): Due {
  const sql = `SELECT f.file_id AS subject, f.file_no AS place, f.bytes AS weight FROM file f WHERE f.site = $1 AND ${DUE_FILES[stage]}`;
  return { sql, values: stage === 'intake' ? [site, boundKeys(ledger)] : [site] };
}

/**
 * Asks for batches, by when their result should be asked for; first those whose result is here and not judged. A finished
 * batch is asked for again when that is due. No process asks about an account that it does not mean as the ledger does. They
 * weigh as much as they have rows.
 * @param longestRecheckMs longest wait before that
 */
export function dueBatches(ledger: Ledger, longestRecheckMs = LONGEST_RECHECK_MS): Due {
  const due = `
    SELECT file_id, batch_no, rows, to_timestamp(0) AS at FROM batch WHERE ${IS_OPEN} AND state = 'result_in'
    UNION ALL
    SELECT file_id, batch_no, rows, coalesce(next_poll_at, submitted_at) FROM batch
      WHERE ${IS_OPEN} AND is_bound(account, $2) AND ((state = 'submitted' AND next_poll_at IS NULL)
        OR (state IN ('submitted', 'exception') AND ${hasCome('next_poll_at', '$1', LONGEST_REPOLL_MS)}))
    UNION ALL
    SELECT file_id, batch_no, rows, next_recheck_at FROM batch
      WHERE ${hasCome('next_recheck_at', '$1', longestRecheckMs)} AND ${MAY_RECHECK} AND is_bound(account, $2)`;
  return {
    sql: `SELECT file_id || '/' || batch_no AS subject, row_number() OVER (ORDER BY at, file_id, batch_no) AS place, rows AS weight
      FROM (${due}) AS due`,
    values: [ledger.clock.now(), boundKeys(ledger)],
    next: [
      'SELECT min(next_poll_at) FROM batch WHERE next_poll_at > $1',
      'SELECT min(next_recheck_at) FROM batch WHERE next_recheck_at > $1',
    ],
  };
}

/**
 * Asks which of these accounts have a batch that may be sent now, in their order.
 * @param opens when the windows of other accounts open
 */
export function dueAccounts(ledger: Ledger, accounts: readonly string[], opens: readonly Date[] = []): Due {
  return {
    sql: `SELECT waiting.account AS subject, waiting.place, 1 AS weight FROM unnest($2::text[]) WITH ORDINALITY AS waiting (account, place)
       ${NEXT_TO_SEND} WHERE ${MAY_SEND_NOW} AND is_bound(waiting.account, $3)`,
    values: [ledger.clock.now(), accounts, boundKeys(ledger), opens],
    next: [
      `SELECT min(not_before) FROM batch WHERE state = 'ready' AND not_before > $1`,
      'SELECT min(opens) FROM unnest($4::timestamptz[]) AS opens',
    ],
  };
}

/** Asks for things that the caller knows. */
export function dueNames(names: readonly string[]): Due {
  return {
    sql: 'SELECT subject, place, 1 AS weight FROM unnest($1::text[]) WITH ORDINALITY AS named (subject, place)',
    values: [names],
  };
}

const READY_ACCOUNTS = `SELECT DISTINCT account FROM batch WHERE ${IS_OPEN} AND state = 'ready'`;

/** SQL that joins to each account `waiting` the batch `next` that it sends next. */
const NEXT_TO_SEND = 'CROSS JOIN LATERAL next_to_send(waiting.account) next';

/** SQL condition on both: it may be sent now. $1 is now. */
const MAY_SEND_NOW = `(next.not_before IS NULL OR ${hasCome('next.not_before', '$1', LONGEST_RELEASE_MS)})
       AND may_leave(waiting.account, next.file_id, next.body_sha256) AND NOT is_calling(waiting.account)`;

/**
 * SQL condition on a batch: whom its account means is settled. No process works for a former name, or for an account that
 * waits for an answer about its address. A reader need not have bound the accounts of its own configuration.
 */
const HAS_MERCHANT = `NOT ${isFormerNameSql('batch.account')}
  AND NOT EXISTS (SELECT FROM address_question q WHERE q.account = batch.account)`;

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

/**
 * Returns the batches that an account sends next, in their order, whether or not they may be sent now. The gate asks
 * again for each.
 * @param most of them
 */
export async function readNextBatches(ledger: Ledger, account: string, most: number): Promise<BatchRow[]> {
  const { rows } = await ledger.pool.query<BatchRow>(
    'SELECT batch.* FROM next_to_send($1, $2) WITH ORDINALITY next JOIN batch USING (file_id, batch_no) ORDER BY next.ordinality',
    [account, most],
  );
  return rows;
}

/** Sums up the batches whose result should be asked for now, or is here and not judged. */
export async function sumToPoll({ pool, clock }: Ledger): Promise<DueSum> {
  const dueAt = 'coalesce(next_poll_at, submitted_at, state_at)';
  const { rows } = await pool.query<DueSum>(
    `SELECT count(*)::int AS count, min(at) AS since FROM (
       SELECT ${dueAt} AS at FROM batch
       WHERE ${IS_OPEN} AND (state = 'result_in'
         OR (${HAS_MERCHANT} AND state IN ('submitted', 'exception') AND ${hasCome(dueAt, '$1', LONGEST_REPOLL_MS)}))
       UNION ALL
       SELECT next_recheck_at FROM batch
       WHERE ${hasCome('next_recheck_at', '$1', LONGEST_RECHECK_MS)} AND ${MAY_RECHECK} AND ${HAS_MERCHANT}) due`,
    [clock.now()],
  );
  return rows[0]!;
}

/** Sums up the files of a site that are claimed and not checked. Those of an account that waits for an answer wait, too. */
export function sumClaimed(ledger: Ledger, site: string): Promise<DueSum> {
  const waits = 'EXISTS (SELECT FROM address_question q WHERE q.account = f.account)';
  return sumFiles(ledger, site, `${IS_CLAIMED} AND NOT ${waits}`);
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

/** SQL condition on a claimed file: this process can read it. One of a former name is held at once. $2 are boundKeys. */
export const IS_READABLE = `(${isFormerNameSql('f.account')} OR is_bound(f.account, $2))`;

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

const DUE_FILES = { intake: `${IS_CLAIMED} AND ${IS_READABLE}`, deliver: IS_DELIVERABLE } as const;
