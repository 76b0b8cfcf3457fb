import type { BatchState, FileState, Outcome } from '../../../schemas/lifecycle.ts';
import { IS_OPEN, IS_TAKEN } from '../batch/conditions.ts';
import type { LedgerReader, ListPage } from '../engine/list-page.ts';

/** Why a payment was not made, each by the outcome of its row and by the state of a batch without outcomes. */
export const ISSUES = {
  in_doubt: { outcome: 'unknown', batch: 'unknown' },
  mismatch: { batch: 'exception' },
  refused: { batch: 'refused' },
  declined: { outcome: 'declined' },
  duplicate: { outcome: 'duplicate' },
  format_error: { outcome: 'format_error' },
  not_charged: { outcome: 'not_charged' },
  invalid: { outcome: 'invalid' },
} as const satisfies Readonly<Record<string, { readonly outcome?: Outcome; readonly batch?: BatchState }>>;
export type Issue = keyof typeof ISSUES;

/** Which of these payments; empty matches any. */
export type IssueFilter = { readonly account: string; readonly issue: Issue | '' };

/** A payment that was not made, or may not have been, and was not sent again. Money is integer cents. */
export type IssueRow = {
  fileNo: number;
  fileId: string;
  name: string;
  account: string;
  fileState: FileState;
  line: number;
  invoice: string;
  customerCode: string;
  cents: number | null;
  lastFour: string;
  batchNo: number | null;
  batchState: BatchState | null;
  /** Null while its batch has no outcomes. */
  outcome: Outcome | null;
  code: number | null;
  since: Date;
};

/** No file has so many lines. */
const LINES = 100_000_000;

/** Returns the number of a payment in this list: that of its file, followed by its line in eight digits. */
export function issueNumber({ fileNo, line }: Pick<IssueRow, 'fileNo' | 'line'>): number {
  return fileNo * LINES + line;
}

/** Returns a page of these payments: the newest file first, in the order of its lines. */
export async function listIssues(
  { pool }: LedgerReader,
  filter: IssueFilter,
  { after, limit }: Pick<ListPage, 'after' | 'limit'>,
): Promise<IssueRow[]> {
  const { rows } = await pool.query<IssueRow>(
    `SELECT f.file_no AS "fileNo", f.file_id AS "fileId", f.name, f.account, f.state AS "fileState", i.line, r.invoice,
            r.customer_code AS "customerCode", r.amount_cents AS cents, r.last_four AS "lastFour",
            r.batch_no AS "batchNo", b.state AS "batchState", i.outcome, i.code,
            coalesce(i.at, b.final_at, b.state_at, f.state_at) AS since
     FROM (${SOURCES}) i
       CROSS JOIN LATERAL (SELECT * FROM file WHERE file.file_no = i.file_no OFFSET 0) f
       CROSS JOIN LATERAL (SELECT * FROM payment_row x WHERE x.file_no = i.file_no AND x.line = i.line OFFSET 0) r
       LEFT JOIN LATERAL (SELECT * FROM batch x WHERE x.file_id = f.file_id AND x.batch_no = r.batch_no OFFSET 0) b ON true
     ORDER BY i.file_no DESC, i.line`,
    valuesOf(filter, limit, after),
  );
  return rows;
}

/** Counts these payments, up to one more than `most`. */
export async function countIssues({ pool }: LedgerReader, filter: IssueFilter, most: number): Promise<number> {
  const { rows } = await pool.query<{ payments: number }>(
    `SELECT count(*) AS payments FROM (${SOURCES}) i`,
    valuesOf(filter, most + 1),
  );
  return rows[0]!.payments;
}

/** Values of `SOURCES`: the most rows, the account, the place after which to begin, an outcome and a state of batches. */
function valuesOf({ account, issue }: IssueFilter, most: number, after?: number): unknown[] {
  const place = after === undefined ? [Number.MAX_SAFE_INTEGER, 0] : [Math.floor(after / LINES), after % LINES];
  if (issue === '') return [most, account, ...place, '', ''];
  const { outcome, batch }: { outcome?: Outcome; batch?: BatchState } = ISSUES[issue];
  return [most, account, ...place, outcome ?? NONE, batch ?? NONE];
}

/** Instead of an outcome or state: rows with one are not wanted, and PostgreSQL does not look for them. */
const NONE = '-';

/** Payments of other accounts that are looked at to find those of one. */
const MOST_LOOKED = 50_000;
const MOST_FILES = 5_000;
const MOST_BATCHES = 200;

/** Literal outcomes, so that the planner can use the partial indexes of them. */
const NOT_MADE = `outcome IN ('declined', 'format_error', 'not_charged', 'duplicate', 'unknown')`;

/** SQL: outcomes of a table that no later one has replaced. */
function outcomesOf(table: string, { at, isReplaced }: { at: string; isReplaced: string }): string {
  return `(SELECT o.file_no, o.line, o.outcome, o.code, ${at} AS at FROM (
      SELECT * FROM ${table}
      WHERE $5::text <> '${NONE}' AND ${NOT_MADE} AND ($5 = '' OR outcome = $5) AND file_no <= $3::bigint AND (file_no < $3 OR line > $4::integer)
      ORDER BY file_no DESC, line LIMIT ${MOST_LOOKED}) o
    WHERE ($2 = '' OR (SELECT f.account FROM file f WHERE f.file_no = o.file_no) = $2)
      AND NOT EXISTS (SELECT FROM row_change c WHERE c.file_no = o.file_no AND c.line = o.line ${isReplaced})
      AND NOT EXISTS (SELECT FROM resubmitted_row s WHERE s.file_no = o.file_no AND s.line = o.line)
    ORDER BY o.file_no DESC, o.line LIMIT $1)`;
}

const FIRST_OUTCOMES = outcomesOf('row_outcome', { at: 'NULL::timestamptz', isReplaced: '' });
const CHANGES = outcomesOf('row_change', { at: 'o.at', isReplaced: 'AND c.correction_no > o.correction_no' });

const WITHHELD = `(SELECT f.file_no, r.line, 'invalid', NULL::integer, NULL::timestamptz FROM (
    SELECT file_no FROM file WHERE $5 IN ('', 'invalid') AND invalid_rows > 0 AND (${IS_TAKEN} OR state = 'held') AND ($2 = '' OR account = $2)
      AND file_no <= $3 ORDER BY file_no DESC LIMIT ${MOST_FILES}) f
  CROSS JOIN LATERAL (SELECT line FROM payment_row x WHERE x.file_no = f.file_no AND x.batch_no IS NULL
    AND (f.file_no < $3 OR x.line > $4) ORDER BY line LIMIT $1) r
  ORDER BY f.file_no DESC, r.line LIMIT $1)`;

const OF_BATCHES = `(SELECT f.file_no, r.line, NULL, NULL::integer, NULL::timestamptz FROM (
    SELECT f.file_no, b.batch_no, b.first_line, b.last_line FROM batch b JOIN file f USING (file_id)
    WHERE $6 <> '${NONE}' AND b.${IS_OPEN} AND b.state IN ('unknown', 'exception', 'refused') AND ($6 = '' OR b.state = $6)
      AND ($2 = '' OR b.account = $2) AND f.file_no <= $3 AND (f.file_no < $3 OR b.last_line > $4)
    ORDER BY f.file_no DESC, b.first_line LIMIT ${MOST_BATCHES}) f
  CROSS JOIN LATERAL (SELECT line FROM payment_row x WHERE x.file_no = f.file_no AND x.batch_no = f.batch_no
    AND x.line BETWEEN f.first_line AND f.last_line AND (f.file_no < $3 OR x.line > $4)
    AND NOT EXISTS (SELECT FROM row_outcome o WHERE o.file_no = x.file_no AND o.line = x.line) ORDER BY line LIMIT $1) r
  ORDER BY f.file_no DESC, r.line LIMIT $1)`;

/** SQL: at most $1 of these payments. Each source is read in the order of an index and stops there. */
const SOURCES = `${[FIRST_OUTCOMES, CHANGES, WITHHELD, OF_BATCHES].join(' UNION ALL ')}
  ORDER BY file_no DESC, line LIMIT $1`;
