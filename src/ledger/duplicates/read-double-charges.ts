import type { BatchState, Outcome } from '../../../schemas/lifecycle.ts';
import { CERTAINLY_NOT_CHARGED, IS_OPEN, IS_UNSENT } from '../batch/conditions.ts';
import type { BatchKey } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { Queryable } from '../engine/transaction.ts';
import { wasForgotten } from './find-pairs.ts';

/** One of two rows that may be one payment. Money is integer cents; null with an archived row. */
export type DoubleRow = {
  fileId: string;
  name: string;
  batchNo: number;
  line: number;
  invoice: string | null;
  cents: number | null;
  state: BatchState;
  outcome: Outcome | null;
  /** Since when the row has this outcome, or its batch this state. */
  since: Date;
  /** Who approved its file, as in the audit trail; null when nobody had to. */
  approvedBy: string | null;
};

/** Two rows that may be one payment, `row` the one asked about, or else the later one. */
export type DoubleCharge = {
  account: string;
  row: DoubleRow;
  other: DoubleRow;
  /** Equal to the letter. */
  isSame: boolean;
  source: string;
  foundAt: Date;
  /** Both were charged, or may have been. */
  isTwice: boolean;
  releasedAt: Date | null;
  releasedBy: string | null;
  releaseReason: string | null;
  acknowledgedAt: Date | null;
  acknowledgedBy: string | null;
  acknowledgeReason: string | null;
};

/** A batch that is not sent because a row of it may have been charged meanwhile. */
export type PaidBatch = {
  account: string;
  fileId: string;
  name: string;
  batchNo: number;
  rows: number;
  cents: number;
  since: Date;
  /** What is known of the first of its rows, in words. */
  first: DoubleCharge | null;
  /** How many of its rows it is about. */
  matches: number;
};

/** The most pairs that a list has. */
const MOST = 200;

/** Returns the pairs of a file, or of one of its batches, whatever was decided about them; at most 200. */
export function readDoublesOf(client: Queryable, { fileId, batchNo }: { fileId: string; batchNo?: number }) {
  return readPairs(
    client,
    `double_side d WHERE d.file_no = (SELECT file_no FROM file WHERE file_id = $2)
       AND ($3::integer IS NULL OR EXISTS (SELECT FROM batch WHERE batch.file_id = $2 AND batch.batch_no = $3
                                             AND d.line BETWEEN batch.first_line AND batch.last_line))`,
    'true',
    [fileId, batchNo ?? null],
  );
}

/** How many pairs of an account were perhaps paid twice, and how many of these a user has acknowledged. */
export type TwiceCount = { account: string; open: number; acknowledged: number };

export async function countPaidTwice({ pool }: Pick<Ledger, 'pool'>): Promise<TwiceCount[]> {
  const { rows } = await pool.query<TwiceCount>(
    `SELECT d.account, count(*) FILTER (WHERE d.acknowledged_at IS NULL)::int AS open,
            count(d.acknowledged_at)::int AS acknowledged
     FROM ${LATER} ${sideSql('own', 'd.file_no', 'd.line')} ${sideSql('other', 'd.other_no', 'd.other_line')}
     WHERE ${IS_TWICE} GROUP BY d.account ORDER BY d.account`,
    [CERTAINLY_NOT_CHARGED],
  );
  return rows;
}

/** Returns the payments that were, or may have been, made twice, the latest first; at most 200. */
export function readPaidTwice({ pool }: Ledger, options: { account?: string; acknowledged?: boolean } = {}) {
  return readPairs(
    pool,
    `${LATER} WHERE ${options.acknowledged ? 'true' : 'd.acknowledged_at IS NULL'} AND ($2::text IS NULL OR d.account = $2)`,
    IS_TWICE,
    [options.account ?? null],
  );
}

const LATER = `(SELECT later_no AS file_no, later_line AS line, earlier_no AS other_no, earlier_line AS other_line, d.* FROM double_charge d) d`;

/** Returns the pairs of a batch that a person has to decide: both were charged, or may have been. */
export async function readTwiceOf(client: Queryable, key: BatchKey): Promise<DoubleCharge[]> {
  return readPairs(
    client,
    `double_side d WHERE d.acknowledged_at IS NULL AND d.file_no = (SELECT file_no FROM file WHERE file_id = $2)
       AND EXISTS (SELECT FROM batch WHERE batch.file_id = $2 AND batch.batch_no = $3
                     AND d.line BETWEEN batch.first_line AND batch.last_line)`,
    IS_TWICE,
    [key.fileId, key.batchNo],
  );
}

/** SQL: money of the side moved, or may have: its batch may have left, and its outcome is no certain no. */
function moved(side: 'own' | 'other'): string {
  return `(${side}_b.state IN ('sending', 'unknown', 'submitted', 'result_in', 'exception')
    OR (${side}_b.state = 'reconciled' AND coalesce(${side}_x.outcome, '') <> ALL ($1))
    OR ${wasForgotten(`${side}_f`, `${side}_b`)})`;
}

const IS_TWICE = `(${moved('own')} AND ${moved('other')})`;

/** SQL of one side. The lines of a batch hold no row of another, so they find it, also when the rows are archived. */
function sideSql(side: 'own' | 'other', fileNo: string, line: string): string {
  return `
  JOIN file ${side}_f ON ${side}_f.file_no = ${fileNo}
  CROSS JOIN LATERAL (SELECT * FROM batch WHERE batch.file_id = ${side}_f.file_id
    AND ${line} BETWEEN batch.first_line AND batch.last_line OFFSET 0) ${side}_b
  LEFT JOIN LATERAL (SELECT * FROM payment_row r WHERE r.file_no = ${fileNo} AND r.line = ${line} OFFSET 0) ${side}_r ON true
  LEFT JOIN LATERAL (SELECT c.outcome, c.correction_no FROM current_outcome c WHERE c.file_no = ${fileNo} AND c.line = ${line} OFFSET 0) ${side}_x ON true`;
}

function sideJson(side: 'own' | 'other', fileNo: string, line: string): string {
  return `
    ${side}_f.file_id AS ${side}_file, ${side}_f.name AS ${side}_name, ${side}_b.batch_no AS ${side}_batch, ${line} AS ${side}_line,
    ${side}_r.invoice AS ${side}_invoice, ${side}_r.amount_cents AS ${side}_cents, ${side}_b.state AS ${side}_state,
    ${side}_x.outcome AS ${side}_outcome,
    coalesce((SELECT c.at FROM row_change c WHERE c.file_no = ${fileNo} AND c.line = ${line} AND c.correction_no = ${side}_x.correction_no),
             ${side}_b.state_at) AS ${side}_since,
    (SELECT a.actor FROM audit a WHERE a.file_id = ${side}_f.file_id AND a.move = 'approve' ORDER BY a.seq DESC LIMIT 1) AS ${side}_approver`;
}

async function readPairs(client: Queryable, from: string, where: string, values: unknown[]): Promise<DoubleCharge[]> {
  // Nearly always there is none, and to say so takes a fifth of the time that planning the whole question does.
  const { rowCount } = await client.query(`SELECT $1::text[] FROM ${from} LIMIT 1`, [CERTAINLY_NOT_CHARGED, ...values]);
  if (rowCount === 0) return [];
  const { rows } = await client.query<PairRow>(
    `SELECT d.account, d.is_same, d.source, d.found_at, d.released_at, d.released_by, d.release_reason,
            d.acknowledged_at, d.acknowledged_by, d.acknowledge_reason, ${IS_TWICE} AS is_twice,
            ${sideJson('own', 'd.file_no', 'd.line')}, ${sideJson('other', 'd.other_no', 'd.other_line')}
     FROM (SELECT * FROM ${from}) d ${sideSql('own', 'd.file_no', 'd.line')} ${sideSql('other', 'd.other_no', 'd.other_line')}
     WHERE ${where}
     ORDER BY d.found_at DESC, d.file_no DESC, d.line, d.other_no, d.other_line LIMIT ${MOST}`,
    [CERTAINLY_NOT_CHARGED, ...values],
  );
  return rows.map((row) => ({
    account: row.account,
    row: sideOf(row, 'own'),
    other: sideOf(row, 'other'),
    isSame: row.is_same,
    source: row.source,
    foundAt: row.found_at,
    isTwice: row.is_twice,
    releasedAt: row.released_at,
    releasedBy: row.released_by,
    releaseReason: row.release_reason,
    acknowledgedAt: row.acknowledged_at,
    acknowledgedBy: row.acknowledged_by,
    acknowledgeReason: row.acknowledge_reason,
  }));
}

type Side = 'own' | 'other';
type SideRow<Name extends Side> = {
  [Column in `${Name}_file` | `${Name}_name`]: string;
} & { [Column in `${Name}_batch` | `${Name}_line`]: number } & { [Column in `${Name}_invoice`]: string | null } & {
  [Column in `${Name}_cents`]: number | null;
} & { [Column in `${Name}_state`]: BatchState } & { [Column in `${Name}_outcome`]: Outcome | null } & {
  [Column in `${Name}_since`]: Date;
} & { [Column in `${Name}_approver`]: string | null };

type PairRow = SideRow<'own'> &
  SideRow<'other'> & {
    account: string;
    is_same: boolean;
    source: string;
    found_at: Date;
    is_twice: boolean;
    released_at: Date | null;
    released_by: string | null;
    release_reason: string | null;
    acknowledged_at: Date | null;
    acknowledged_by: string | null;
    acknowledge_reason: string | null;
  };

function sideOf(row: PairRow, side: Side): DoubleRow {
  return {
    fileId: row[`${side}_file`],
    name: row[`${side}_name`],
    batchNo: row[`${side}_batch`],
    line: row[`${side}_line`],
    invoice: row[`${side}_invoice`],
    cents: row[`${side}_cents`],
    state: row[`${side}_state`],
    outcome: row[`${side}_outcome`],
    since: row[`${side}_since`],
    approvedBy: row[`${side}_approver`],
  };
}

/** SQL: a batch waits because a row of it may have been charged meanwhile. The index `batch_paid` holds no others. */
export const IS_PAID = `${IS_OPEN} AND paid_since IS NOT NULL AND ${IS_UNSENT}`;

/** Returns the batches that wait because a row of them may have been charged meanwhile, longest waiting first; at most 200. */
export async function readPaidBatches(ledger: Ledger): Promise<PaidBatch[]> {
  const { rows } = await ledger.pool.query<Omit<PaidBatch, 'first' | 'matches'>>(
    `SELECT b.account, b.file_id AS "fileId", f.name, b.batch_no AS "batchNo", b.rows, b.cents, b.paid_since AS since
     FROM (SELECT * FROM batch WHERE ${IS_PAID}) b JOIN file f USING (file_id)
     ORDER BY b.paid_since, f.file_no, b.batch_no LIMIT 200`,
  );
  return Promise.all(
    rows.map(async (batch) => {
      const pairs = (await readDoublesOf(ledger.pool, batch)).filter(({ releasedAt }) => releasedAt === null);
      return { ...batch, first: pairs[0] ?? null, matches: new Set(pairs.map(({ row }) => row.line)).size };
    }),
  );
}
