import { IS_OPEN, IS_SENDABLE } from '../batch/conditions.ts';
import type { Withheld } from '../../rows/rows.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { AttemptRow, BatchRow, FileRow } from '../engine/records.ts';
import { withheldOf } from './file-figures.ts';
import type { AuditRow } from './search.ts';

/**
 * The facts behind `paydrop why`. Every query uses an index and long lists are limited, so the answer is immediate in a
 * ledger of any size. Money is integer cents.
 */

/** A fault code of a file and how often it occurs, most frequent first. */
export type FaultCount = { code: string; faults: number };

/** The batches of a file in one state. `first` is the lowest batch number. */
export type BatchGroup = { state: BatchRow['state']; batches: number; rows: number; cents: number; first: number };

export type OutcomeCount = { outcome: string; rows: number; cents: number };

export type FileFacts = {
  links: AuditRow[];
  faults: FaultCount[];
  groups: BatchGroup[];
  outcomes: OutcomeCount[];
  /** The first batch of each open state: what holds it also holds those after it. */
  open: BatchRow[];
  madeFrom: string | null;
  withheld: Withheld;
};

function asker({ pool }: Ledger) {
  return async <Row extends object>(sql: string, values: unknown[]) => (await pool.query<Row>(sql, values)).rows;
}

const LINK_LIMIT = 200;
const FAULT_LIMIT = 10_000;

export async function readFileFacts(ledger: Ledger, file: FileRow): Promise<FileFacts> {
  const ask = asker(ledger);
  const [links, faults, groups, outcomes, open, from] = await Promise.all([
    ask<AuditRow>(
      `SELECT * FROM (SELECT seq, at, actor, batch_no, move, from_state, to_state, reason, evidence FROM audit
         WHERE file_id = $1 AND batch_no IS NULL AND move NOT IN ('output', 'download') ORDER BY seq DESC LIMIT ${LINK_LIMIT}) last ORDER BY seq`,
      [file.file_id],
    ),
    ask<FaultCount>(
      `SELECT code, count(*) AS faults FROM (SELECT code FROM row_fault WHERE file_no = $1 ORDER BY seq LIMIT ${FAULT_LIMIT}) f
       GROUP BY code ORDER BY 2 DESC, 1 LIMIT 10`,
      [file.file_no],
    ),
    ask<BatchGroup>(
      `SELECT state, count(*) AS batches, sum(rows)::bigint AS rows, sum(cents)::bigint AS cents, min(batch_no) AS first
       FROM batch WHERE file_id = $1 GROUP BY state ORDER BY min(batch_no)`,
      [file.file_id],
    ),
    ask<OutcomeCount>(
      `SELECT outcome, sum(rows)::bigint AS rows, sum(cents)::bigint AS cents FROM outcome_movement WHERE file_no = $1
       GROUP BY outcome HAVING sum(rows) <> 0 ORDER BY outcome`,
      [file.file_no],
    ),
    ask<BatchRow>(
      `SELECT * FROM (SELECT DISTINCT ON (state) * FROM batch WHERE file_id = $1 AND ${IS_OPEN}
                      ORDER BY state, batch_no) first ORDER BY batch_no`,
      [file.file_id],
    ),
    ask<{ file_id: string }>('SELECT file_id FROM resubmission WHERE new_file_id = $1', [file.file_id]),
  ]);
  return { links, faults, groups, outcomes, open, madeFrom: from[0]?.file_id ?? null, withheld: withheldOf(file) };
}

/** A call of a batch, for `paydrop why`. */
export type TriedSend = Omit<AttemptRow, 'resolution'>;

export type BatchFacts = Waiting & {
  attempts: TriedSend[];
  /** Without `prepare` and `release`, of which a dead service causes thousands. */
  links: AuditRow[];
  releases: { times: number; lastAt: Date | null; lastReason: string | null };
  outcomes: OutcomeCount[];
};

export async function readBatchFacts(ledger: Ledger, file: FileRow, batch: BatchRow): Promise<BatchFacts> {
  const ask = asker(ledger);
  const place = [batch.file_id, batch.batch_no];
  const [attempts, links, releases, outcomes, waiting] = await Promise.all([
    ask<TriedSend>(
      `SELECT attempt, worker, host, request_bytes, coalesce(host_at, started_at) AS started_at, ended_at,
              verdict, evidence FROM attempt
       WHERE file_id = $1 AND batch_no = $2 ORDER BY attempt`,
      place,
    ),
    ask<AuditRow>(
      `SELECT seq, at, actor, batch_no, move, from_state, to_state, reason, evidence FROM audit
       WHERE file_id = $1 AND batch_no = $2 AND move <> 'put-off' ORDER BY seq LIMIT ${LINK_LIMIT}`,
      place,
    ),
    ask<BatchFacts['releases']>(
      `SELECT count(*) AS times, max(at) AS "lastAt", (array_agg(reason ORDER BY seq DESC))[1] AS "lastReason"
       FROM audit WHERE file_id = $1 AND batch_no = $2 AND move = 'put-off'`,
      place,
    ),
    ask<OutcomeCount>(
      `SELECT outcome, sum(rows)::bigint AS rows, sum(cents)::bigint AS cents FROM outcome_movement
       WHERE file_no = $1 AND batch_no = $2 GROUP BY outcome HAVING sum(rows) <> 0 ORDER BY outcome`,
      [file.file_no, batch.batch_no],
    ),
    readWaiting(ledger, file, batch),
  ]);
  return { attempts, links, releases: releases[0]!, outcomes, ...waiting };
}

/** Why a ready batch is not sent yet, apart from what stops its account. */
export type Waiting = {
  /** Ready batches of the account that go first. */
  ahead: number;
  /** A call that the ledger had forgotten had the same bytes, or was for an unknown batch of this file. */
  isBarred: boolean;
  /** Its file was compared with every call that the ledger had forgotten. */
  isCompared: boolean;
};

export async function readWaiting(ledger: Ledger, file: FileRow, batch: BatchRow): Promise<Waiting> {
  const { rows } = await ledger.pool.query<Waiting>(
    `SELECT (SELECT count(*) FROM batch b JOIN file f USING (file_id)
             WHERE b.account = $1 AND b.${IS_OPEN} AND b.state = 'ready'
               AND f.${IS_SENDABLE} AND (f.file_no, b.batch_no) < ($2, $3)) AS ahead,
            (SELECT was_sent_before(account, file_id, body_sha256) FROM batch WHERE file_id = $4 AND batch_no = $3) AS "isBarred",
            is_compared($4) AS "isCompared"`,
    [batch.account, file.file_no, batch.batch_no, batch.file_id],
  );
  return rows[0]!;
}
