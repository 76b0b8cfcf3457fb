import { HOME_SITE } from '../../../schemas/jobs.ts';
import type { Due } from '../stage/taken.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { boundKeys, isFormerNameSql } from '../merchant/bound-accounts.ts';
import { IS_OPEN } from './conditions.ts';
import { LONGEST_RELEASE_MS } from './commit-send.ts';
import { LONGEST_RECHECK_MS, LONGEST_REPOLL_MS } from './schedule-poll.ts';
import type { BatchRow } from '../engine/records.ts';

/**
 * Asks for files of a site in the order in which they came. `intake`: claimed and not checked. `deliver`: an output can be
 * written that is not there.
 */
export function dueFiles(ledger: Ledger, stage: 'intake' | 'deliver', site = HOME_SITE): Due {
  return { due: stage, asked: { site, bound: boundKeys(ledger) } };
}

/**
 * Asks for batches, by when their result should be asked for; first those whose result is here and not judged. A finished
 * batch is asked for again when that is due. No process asks about an account that it does not mean as the ledger does. They
 * weigh as much as they have rows.
 * @param longestRecheckMs longest wait before that
 */
export function dueBatches(ledger: Ledger, longestRecheckMs = LONGEST_RECHECK_MS): Due {
  const at = ledger.clock.now();
  return {
    due: 'poll',
    asked: { at, bound: boundKeys(ledger), longestRepollMs: LONGEST_REPOLL_MS, longestRecheckMs },
  };
}

/**
 * Asks which of these accounts have a batch that may be sent now, in their order.
 * @param opens when the windows of other accounts open
 */
export function dueAccounts(ledger: Ledger, accounts: readonly string[], opens: readonly Date[] = []): Due {
  const at = ledger.clock.now();
  return {
    due: 'submit',
    asked: { names: accounts, at, bound: boundKeys(ledger), opens, longestReleaseMs: LONGEST_RELEASE_MS },
  };
}

/** Asks for things that the caller knows. */
export function dueNames(names: readonly string[]): Due {
  return { due: 'names', asked: { names } };
}

const READY_ACCOUNTS = `SELECT DISTINCT account FROM batch WHERE ${IS_OPEN} AND state = 'ready'`;

/**
 * SQL condition on a batch: whom its account means is settled. No process works for a former name, or for an account that
 * waits for an answer about its address. A reader need not have bound the accounts of its own configuration.
 */
const HAS_MERCHANT = `NOT ${isFormerNameSql('batch.account')}
  AND NOT EXISTS (SELECT FROM address_question q WHERE q.account = batch.account)`;

/** How much is due, and since when the oldest. */
export type DueSum = { count: number; since: Date | null };

/** Returns a sum of things of which it is not known since when they wait. */
export function standing(count: number): DueSum {
  return { count, since: null };
}

/** Sums up the batches of the accounts that may send now. @param closed accounts outside their sending window */
export async function sumSendable({ pool, clock }: Ledger, closed: readonly string[]): Promise<DueSum> {
  const { rows } = await pool.query<DueSum>(
    `SELECT count(*)::int AS count, min(ready.state_at) AS since
     FROM accounts_to_send(ARRAY(${READY_ACCOUNTS} AND ${HAS_MERCHANT} AND account <> ALL ($2)), $1, $3) waiting
     JOIN batch ready ON ready.account = waiting.account AND ready.${IS_OPEN} AND ready.state = 'ready'`,
    [clock.now(), closed, LONGEST_RELEASE_MS],
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
  const { rows } = await pool.query<DueSum>(
    `SELECT count(*)::int AS count, min(batch.due_at) AS since FROM batches_to_poll($1, $2, $3) batch
     WHERE batch.is_here OR (${HAS_MERCHANT})`,
    [clock.now(), LONGEST_REPOLL_MS, LONGEST_RECHECK_MS],
  );
  return rows[0]!;
}

/** Sums up the files of a site that are claimed and not checked. Those of an account that waits for an answer wait, too. */
export async function sumClaimed({ pool }: Ledger, site: string): Promise<DueSum> {
  const { rows } = await pool.query<DueSum>(
    `SELECT count(*)::int AS count, min(f.state_at) AS since FROM file f
     WHERE f.site = $1 AND f.state = 'claimed' AND NOT EXISTS (SELECT FROM address_question q WHERE q.account = f.account)`,
    [site],
  );
  return rows[0]!;
}

/** Sums up the files of a site that lack an output. */
export async function sumDeliverable({ pool }: Ledger, site: string): Promise<DueSum> {
  const { rows } = await pool.query<DueSum>(
    'SELECT count(*)::int AS count, min(state_at) AS since FROM files_to_deliver($1)',
    [site],
  );
  return rows[0]!;
}

/** Returns whether a file lacks an output that can be written now. */
export async function isDeliverable({ pool }: Ledger, fileId: string): Promise<boolean> {
  const { rowCount } = await pool.query(`SELECT FROM file f WHERE f.file_id = $1 AND ${IS_DELIVERABLE}`, [fileId]);
  return rowCount === 1;
}

/** SQL condition on a file `f` that lacks an output that can be written now. */
export const IS_DELIVERABLE = 'lacks_output(f.file_no, f.file_id, f.state)';

/** SQL condition on a file `f`: it is claimed, and this process can read it. $2 are boundKeys. */
export const IS_READABLE = 'EXISTS (SELECT FROM files_to_check(f.site, $2) due WHERE due.file_no = f.file_no)';
