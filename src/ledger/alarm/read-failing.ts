import type { WorkName } from '../../../schemas/work.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** Work that fails again and again. */
export type FailingWork = {
  work: WorkName;
  subject: string;
  account: string | null;
  fileId: string | null;
  batchNo: number | null;
  /** Of its file. */
  name: string | null;
  code: string | null;
  reason: string;
  failures: number;
  since: Date;
  lastAt: Date;
};

/** So many failures in a row, or so long without success after the first, in ms, are no passing trouble. */
const MANY_FAILURES = 3;
const LONG_MS = 45_000;

/** What fails for long enough that a person should know, that of one file, which waits for the sweep too, or of all; the longest first. At most 200. */
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
