import type { LayoutName } from '../../../schemas/layouts.ts';
import { ALIVE_LOCKS, isAlive } from '../engine/instance.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';

/** For which ids of an account the service was asked. */
export type Look = {
  /** The opening of the ledger in which this was done, and the mark of the data folder at that time. */
  epoch: number;
  generation: string;
  /** The newest id at that time; null once the ids up to that of the next call were asked for, too. */
  newest: string | null;
  /** How many ids after it were asked for. */
  asked: number;
};

export async function readLook({ pool }: Ledger, account: string): Promise<Look | undefined> {
  const { rows } = await pool.query<Look>(
    'SELECT epoch, generation, newest, asked FROM look_ahead WHERE merchant_no = merchant_of($1)',
    [account],
  );
  return rows[0];
}

/**
 * Longer than one question to the service takes, in seconds. A living process that was not seen for that long has lost the
 * end of its look. Two that ask at once do no harm.
 */
const LONGEST_QUESTION_S = 600;

/** SQL: whether the process was seen a short time ago; a clock that was set back must not make that long. */
const isSeen = (now: string) => `abs(extract(epoch FROM ${now} - l.seen_at)) <= ${LONGEST_QUESTION_S}`;

/** Returns false when another living process is asking for ids of this account. */
export async function beginLook(ledger: Ledger, account: string, total: number): Promise<boolean> {
  const { pool, clock, instance } = ledger;
  const now = ledger.databaseNow();
  const { rowCount } = await pool.query(
    `INSERT INTO look_ahead AS l (merchant_no, asked_by, since, seen_at, total) VALUES (merchant_of($1), $2, $3, ${now}, $4)
     ON CONFLICT (merchant_no) DO UPDATE SET asked_by = $2, since = $3, seen_at = ${now}, done = 0, total = $4
     WHERE l.asked_by IS NULL OR l.asked_by = $2 OR NOT (${isSeen(now)})
       OR pg_try_advisory_xact_lock($5, hashtext(l.asked_by))`,
    [account, instance.id, clock.now(), total, ALIVE_LOCKS],
  );
  return rowCount === 1;
}

export async function noteLook(ledger: Ledger, account: string, done: number): Promise<void> {
  const { pool, instance } = ledger;
  await pool.query(
    `UPDATE look_ahead SET done = $3, seen_at = ${ledger.databaseNow()} WHERE merchant_no = merchant_of($1) AND asked_by = $2`,
    [account, instance.id, done],
  );
}

/** @param look omitted when not all ids could be asked for */
export async function endLook({ pool, instance }: Ledger, account: string, look?: Look): Promise<void> {
  await pool.query(
    `UPDATE look_ahead SET asked_by = NULL, epoch = coalesce($3, epoch), generation = coalesce($4, generation),
       newest = CASE WHEN $3::bigint IS NULL THEN newest ELSE $5 END, asked = coalesce($6, asked)
     WHERE merchant_no = merchant_of($1) AND asked_by = $2`,
    [account, instance.id, look?.epoch, look?.generation, look?.newest, look?.asked],
  );
}

/** An account whose ids are being asked for by a living process. */
export type LookNow = { account: string; since: Date; done: number; total: number };

export async function listLooks(ledger: Ledger): Promise<LookNow[]> {
  const { rows } = await ledger.pool.query<LookNow>(
    `SELECT (SELECT min(a.account) FROM account a WHERE a.merchant_no = l.merchant_no) AS account, since, done, total FROM look_ahead l
     WHERE asked_by IS NOT NULL AND total > 0 AND ${isSeen(ledger.databaseNow())} AND ${isAlive('l.asked_by')}`,
  );
  return rows;
}

export type BatchIds = {
  /** The last ids that the service assigned for the merchant, newest first. */
  ids: string[];
  /** Number of the newest call. */
  calls: number;
  /** A call is in progress or in doubt, or may not have been recorded. */
  isCalling: boolean;
  /** Calls since the newest id, known to the ledger without the id they may have received. */
  withoutId: number;
  /**
   * Returns whether a batch of any account at the same service has this id, or a forgotten call of the merchant. Another
   * service, such as a sandbox, may have given the same id.
   */
  isKnown(batchId: string): Promise<boolean>;
};

/** Enough ids to see how far apart they are. */
const NEWEST = 100;

/** Reads what the ledger knows of the merchant of an account; the service treats all accounts with its agent code as one. */
export async function readBatchIds({ pool }: Ledger, account: string): Promise<BatchIds> {
  const { rows } = await pool.query<{ ids: string[]; calls: number; isCalling: boolean; withoutId: number }>(
    `WITH newest AS (SELECT coalesce(max(submitted_at), '-infinity') AS at FROM batch
                     WHERE merchant_no = (SELECT merchant_of($1)) AND batch_id IS NOT NULL)
     SELECT ARRAY(SELECT batch_id FROM batch WHERE merchant_no = (SELECT merchant_of($1)) AND batch_id IS NOT NULL
                  ORDER BY submitted_at DESC LIMIT $2) AS ids,
            coalesce((SELECT max(call_no) FROM attempt JOIN batch USING (file_id, batch_no) WHERE merchant_no = (SELECT merchant_of($1))), 0) AS calls,
            EXISTS (SELECT FROM batch WHERE merchant_no = (SELECT merchant_of($1)) AND state IN ('sending', 'unknown')) AS "isCalling",
            (SELECT count(*)::int FROM forgotten_send g, newest WHERE merchant_no = (SELECT merchant_of($1)) AND batch_id IS NULL AND g.at > newest.at)
              + (SELECT count(*)::int FROM newest, attempt a JOIN batch b USING (file_id, batch_no)
                 WHERE b.merchant_no = (SELECT merchant_of($1)) AND a.verdict = 'unknown' AND b.batch_id IS NULL AND a.started_at > newest.at) AS "withoutId"`,
    [account, NEWEST],
  );
  return {
    ...rows[0]!,
    isKnown: async (batchId) => {
      const { rowCount } = await pool.query(
        `SELECT FROM batch b WHERE batch_id = $1 AND merchant_no IN (
           SELECT other.merchant_no FROM merchant_address own JOIN merchant_address other USING (server, address)
           WHERE own.merchant_no = (SELECT merchant_of($2)))
         UNION ALL SELECT FROM forgotten_send WHERE batch_id = $1 AND merchant_no = (SELECT merchant_of($2))`,
        [batchId, account],
      );
      return rowCount !== 0;
    },
  };
}

/** Returns ready and refused batches in sending order, with what reading their rows needs. */
export async function readWaiting(
  { pool }: Ledger,
  account: string,
): Promise<{ batch: BatchRow; fileNo: number; layout: LayoutName }[]> {
  const { rows } = await pool.query<BatchRow & { fileNo: number; layout: LayoutName }>(
    `SELECT b.*, f.file_no AS "fileNo", f.layout FROM batch b JOIN file f USING (file_id)
     WHERE b.merchant_no = (SELECT merchant_of($1)) AND b.state IN ('ready', 'refused') ORDER BY f.file_no, b.batch_no`,
    [account],
  );
  return rows.map(({ fileNo, layout, ...batch }) => ({ batch, fileNo, layout }));
}
