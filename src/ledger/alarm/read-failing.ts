import type { WorkName } from '../../../schemas/work.ts';
import type { Ledger } from '../engine/open-ledger.ts';

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
