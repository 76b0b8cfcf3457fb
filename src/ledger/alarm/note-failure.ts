import { IS_OPEN } from '../batch/conditions.ts';
import type { WorkName } from '../../../schemas/jobs.ts';
import { ALIVE_LOCKS } from '../engine/instance.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** A piece of work. `subject` distinguishes it from others of its kind and is shown. */
export type WorkItem = {
  readonly work: WorkName;
  readonly subject: string;
  readonly account?: string | undefined;
  readonly fileId?: string | undefined;
  readonly batchNo?: number | undefined;
};

/** Why it failed, without row data. */
export type WorkFault = { readonly code?: string | undefined; readonly reason: string };

/** How long work still counts as failing after it should have been tried again three times, in ms. */
const GRACE_MS = 600_000;

/**
 * Records that a piece of work failed. This is no move and leaves no audit link; its consequences do.
 * @param againMs when the work is tried again, in ms
 */
export async function noteFailure(ledger: Ledger, item: WorkItem, fault: WorkFault, againMs: number): Promise<void> {
  const { work, subject, account, fileId, batchNo } = item;
  await ledger.pool.query(
    `INSERT INTO failing_work AS f (work, subject, account, file_id, batch_no, code, reason, failures, since, last_at,
                                    expires_at, noted_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $8, $9, $10)
     ON CONFLICT (work, subject) DO UPDATE
     SET noted_by = EXCLUDED.noted_by, code = EXCLUDED.code, reason = EXCLUDED.reason, last_at = EXCLUDED.last_at, expires_at = EXCLUDED.expires_at,
         failures = CASE WHEN f.expires_at < EXCLUDED.last_at THEN 1 ELSE f.failures + 1 END,
         since = CASE WHEN f.expires_at < EXCLUDED.last_at THEN EXCLUDED.since ELSE f.since END`,
    [
      work,
      subject,
      account ?? null,
      fileId ?? null,
      batchNo ?? null,
      fault.code ?? null,
      fault.reason.slice(0, 1_000),
      ledger.clock.now(),
      new Date(ledger.clock.now().getTime() + againMs * 3 + GRACE_MS),
      ledger.instance.id,
    ],
  );
}

/** Every process does these for itself, so success in one says nothing about another. */
const OF_EACH_PROCESS: readonly WorkName[] = ['sweep', 'shred'];

/** Records that a piece of work succeeded. A failure that a living process noted about its own work stays. */
export async function endFailure({ pool, instance }: Ledger, { work, subject }: WorkItem): Promise<void> {
  await pool.query(
    `DELETE FROM failing_work WHERE work = $1 AND subject = $2
       AND (NOT $3 OR noted_by = $4 OR pg_try_advisory_xact_lock($5, hashtext(noted_by)))`,
    [work, subject, OF_EACH_PROCESS.includes(work), instance.id, ALIVE_LOCKS],
  );
}

/** Batch states in which the work is done; without such a batch, nothing is left to try. */
const STATES_OF_WORK = `CASE w.work WHEN 'submit' THEN ARRAY['ready', 'sending']
                                    WHEN 'poll' THEN ARRAY['submitted', 'result_in', 'exception'] END`;

/**
 * Removes failures of work that is no longer tried, such as polling for a result that an operator has fetched or
 * sending a cancelled batch. Also removes failures noted by a clock that was days ahead.
 * @returns what fails, each as `work subject`
 */
export async function listFailing(ledger: Ledger): Promise<Set<string>> {
  await ledger.pool.query(
    `DELETE FROM failing_work w
     WHERE expires_at < $1 OR last_at > $1::timestamptz + interval '1 day'
        OR w.work IN ('submit', 'poll') AND NOT EXISTS (
             SELECT FROM batch b
             WHERE b.${IS_OPEN} AND b.state = ANY (${STATES_OF_WORK})
               AND CASE WHEN w.file_id IS NULL THEN b.account = w.account
                        ELSE b.file_id = w.file_id AND b.batch_no = w.batch_no END)`,
    [ledger.clock.now()],
  );
  const { rows } = await ledger.pool.query<{ key: string }>(`SELECT work || ' ' || subject AS key FROM failing_work`);
  return new Set(rows.map(({ key }) => key));
}

/** Work that fails repeatedly. */
export type FailingWork = {
  work: WorkName;
  subject: string;
  account: string | null;
  fileId: string | null;
  batchNo: number | null;
  /** Name of its file. */
  name: string | null;
  code: string | null;
  reason: string;
  failures: number;
  since: Date;
  lastAt: Date;
};

/** This many failures in a row, or this many ms without success since the first, are no passing problem. */
const MANY_FAILURES = 3;
const LONG_MS = 45_000;

/** Returns lasting failures, oldest first, at most 200; with `fileId`, of that file, its account and sweeps. */
export async function readFailing(ledger: Ledger, fileId?: string): Promise<FailingWork[]> {
  const { rows } = await ledger.pool.query<FailingWork>(
    `SELECT w.work, w.subject, coalesce(w.account, f.account) AS account, w.file_id AS "fileId", w.batch_no AS "batchNo", f.name, w.code, w.reason,
            w.failures, w.since, w.last_at AS "lastAt"
     FROM failing_work w LEFT JOIN file f USING (file_id)
     WHERE w.expires_at >= $1 AND (w.failures >= ${MANY_FAILURES} OR w.since <= $1::timestamptz - ${LONG_MS} * interval '1 ms')
       AND ($2::text IS NULL OR w.file_id = $2 OR (w.account = (SELECT account FROM file WHERE file_id = $2) AND w.file_id IS NULL) OR w.work = 'sweep')
     ORDER BY w.since, w.work, w.subject LIMIT 200`,
    [ledger.clock.now(), fileId ?? null],
  );
  return rows;
}

/** Returns the files that have repeatedly failed to be taken in or to get their outputs, and again since a time. */
export async function listFailingFiles(ledger: Ledger, since: Date): Promise<string[]> {
  const { rows } = await ledger.pool.query<{ file_id: string }>(
    `SELECT DISTINCT file_id FROM failing_work
     WHERE work IN ('intake', 'deliver') AND file_id IS NOT NULL AND failures >= ${MANY_FAILURES} AND last_at >= $1`,
    [since],
  );
  return rows.map(({ file_id: fileId }) => fileId);
}
