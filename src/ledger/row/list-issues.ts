import type { FaultCode } from '../../../schemas/errors.ts';
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
  /** The first fault of a withheld row. */
  fault: FaultCode | null;
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
            CASE WHEN i.outcome = 'invalid' THEN (SELECT d.code FROM row_fault d
              WHERE d.file_no = i.file_no AND d.line = i.line ORDER BY d.seq LIMIT 1) END AS fault,
            coalesce(c.at, b.final_at, b.state_at, f.state_at) AS since
     FROM (${sourcesOf(filter)}) i
       CROSS JOIN LATERAL (SELECT * FROM file WHERE file.file_no = i.file_no OFFSET 0) f
       CROSS JOIN LATERAL (SELECT * FROM payment_row x WHERE x.file_no = i.file_no AND x.line = i.line OFFSET 0) r
       LEFT JOIN LATERAL (SELECT * FROM batch x WHERE x.file_id = f.file_id AND x.batch_no = r.batch_no OFFSET 0) b ON true
       LEFT JOIN LATERAL (SELECT at FROM row_change x WHERE x.file_no = i.file_no AND x.line = i.line
                            AND x.correction_no = i.correction_no OFFSET 0) c ON true
     ORDER BY i.file_no DESC, i.line`,
    valuesOf(filter, limit, after),
  );
  return rows;
}

/** Counts these payments, up to one more than `most`. */
export async function countIssues({ pool }: LedgerReader, filter: IssueFilter, most: number): Promise<number> {
  const { rows } = await pool.query<{ payments: number }>(
    `SELECT count(*) AS payments FROM (${sourcesOf(filter)}) i`,
    valuesOf(filter, most + 1),
  );
  return rows[0]!.payments;
}

/** Values of `sourcesOf`: the most rows, the account, and the file and line after which to begin. */
function valuesOf({ account }: IssueFilter, most: number, after?: number): unknown[] {
  const place = after === undefined ? [Number.MAX_SAFE_INTEGER, 0] : [Math.floor(after / LINES), after % LINES];
  return [most, account, ...place];
}

/** Outcomes by the partial indexes that have them. */
const INDEXED: readonly (readonly Outcome[])[] = [
  ['declined', 'format_error', 'not_charged'],
  ['duplicate', 'unknown'],
];

/** Returns SQL for at most $1 of these payments. Each source is read in the order of an index and stops there. */
function sourcesOf({ issue, account }: IssueFilter): string {
  const wanted: readonly { outcome?: Outcome; batch?: BatchState }[] =
    issue === '' ? Object.values(ISSUES) : [ISSUES[issue]];
  const outcomes = INDEXED.map((all) => all.filter((one) => wanted.some(({ outcome }) => outcome === one)));
  const states = wanted.flatMap(({ batch }) => batch ?? []);
  const sources = [
    ...outcomes
      .filter((some) => some.length > 0)
      .flatMap((some) => [firstOutcomes(some, account), changes(some, account)]),
    ...(wanted.some(({ outcome }) => outcome === 'invalid') ? [WITHHELD] : []),
    ...(states.length > 0 ? [ofBatches(states)] : []),
  ];
  return `SELECT * FROM (${sources.join(' UNION ALL ')}) source ORDER BY file_no DESC, line LIMIT $1`;
}

const listOf = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ');

/** The newest files of an account, or with withheld rows, that are looked at; and batches that wait for a person. */
const MOST_FILES = 5_000;
const MOST_BATCHES = 200;

function firstOutcomes(outcomes: readonly Outcome[], account: string): string {
  const columns = 'file_no, line, outcome, code, 0 AS correction_no';
  return outcomesOf(`SELECT ${columns} FROM row_outcome WHERE outcome IN (${listOf(outcomes)})`, account);
}

function changes(outcomes: readonly Outcome[], account: string): string {
  const columns = 'file_no, line, outcome, code, correction_no';
  return outcomesOf(`SELECT ${columns} FROM row_change WHERE outcome IN (${listOf(outcomes)})`, account);
}

/**
 * Returns SQL for the outcomes of a table that no later one has replaced: for one account, from file to file. The offsets
 * make PostgreSQL look up one row after the other; it may take thousands for one and then compare each with each.
 */
function outcomesOf(table: string, account: string): string {
  const from =
    account === ''
      ? `(${table} AND $2::text = '' AND file_no <= $3::bigint AND (file_no < $3 OR line > $4::integer)) o`
      : `(SELECT file_no FROM file WHERE account = $2 AND file_no <= $3::bigint ORDER BY file_no DESC LIMIT ${MOST_FILES}) f
         CROSS JOIN LATERAL (${table} AND file_no = f.file_no AND (f.file_no < $3 OR line > $4::integer)
           ORDER BY line LIMIT $1) o`;
  return `(SELECT ${account === '' ? 'o' : 'f'}.file_no, o.line, o.outcome, o.code, o.correction_no FROM ${from}
    WHERE NOT EXISTS (SELECT FROM row_change c WHERE c.file_no = o.file_no AND c.line = o.line
                        AND c.correction_no > o.correction_no OFFSET 0)
      AND NOT EXISTS (SELECT FROM resubmitted_row s WHERE s.file_no = o.file_no AND s.line = o.line OFFSET 0)
    ORDER BY 1 DESC, o.line LIMIT $1)`;
}

const WITHHELD = `(SELECT f.file_no, r.line, 'invalid' AS outcome, NULL::integer AS code, 0 AS correction_no FROM (
    SELECT file_no FROM file WHERE invalid_rows > 0 AND (${IS_TAKEN} OR state = 'held') AND ($2 = '' OR account = $2)
      AND file_no <= $3::bigint ORDER BY file_no DESC LIMIT ${MOST_FILES}) f
  CROSS JOIN LATERAL (SELECT line FROM payment_row x WHERE x.file_no = f.file_no AND x.batch_no IS NULL
    AND (f.file_no < $3 OR x.line > $4::integer) ORDER BY line LIMIT $1) r
  ORDER BY f.file_no DESC, r.line LIMIT $1)`;

function ofBatches(states: readonly BatchState[]): string {
  return `(SELECT f.file_no, r.line, NULL AS outcome, NULL::integer AS code, 0 AS correction_no FROM (
      SELECT f.file_no, b.batch_no, b.first_line, b.last_line FROM batch b JOIN file f USING (file_id)
      WHERE b.${IS_OPEN} AND b.state IN (${listOf(states)}) AND ($2 = '' OR b.account = $2)
        AND f.file_no <= $3::bigint AND (f.file_no < $3 OR b.last_line > $4::integer)
      ORDER BY f.file_no DESC, b.first_line LIMIT ${MOST_BATCHES}) f
    CROSS JOIN LATERAL (SELECT line FROM payment_row x WHERE x.file_no = f.file_no AND x.batch_no = f.batch_no
      AND x.line BETWEEN f.first_line AND f.last_line AND (f.file_no < $3 OR x.line > $4)
      AND NOT EXISTS (SELECT FROM row_outcome o WHERE o.file_no = x.file_no AND o.line = x.line) ORDER BY line LIMIT $1) r
    ORDER BY f.file_no DESC, r.line LIMIT $1)`;
}
