import { type Advice, REJECTIONS } from '../../../schemas/rejections.ts';
import type { SentOutcome } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** A row of a finished file that was not paid and was not sent again yet. Money is integer cents. */
export type AgainRow = {
  fileNo: number;
  fileId: string;
  name: string;
  account: string;
  line: number;
  batchNo: number;
  invoice: string;
  lastFour: string;
  cents: number;
  outcome: Extract<SentOutcome, 'declined' | 'format_error' | 'not_charged'>;
  code: number | null;
  /** When its batch got its outcomes. */
  since: Date;
};

/** Which of these rows; a field left out matches any. */
export type AgainFilter = {
  readonly account?: string | undefined;
  readonly advice?: Advice | readonly Advice[] | undefined;
  readonly fileId?: string | undefined;
  /** Only what this run left out, or failed to send. */
  readonly leftBy?: number | undefined;
  /** Also rows of resubmissions after this number: a plan says that they were sent again since the list was shown. */
  readonly sentAfter?: number | undefined;
};

/** Where a page begins: after this row. */
export type AgainPlace = Pick<AgainRow, 'fileNo' | 'line'>;

/** Rows of an account. At the limit there may be more. */
export type AgainSum = { account: string; rows: number; cents: number };

/** Literal outcomes, so that the planner can use the partial indexes of them. */
export const NOT_PAID = `outcome IN ('declined', 'format_error', 'not_charged')`;

/** Outcomes without a code, by what to do about them. */
const OF_OUTCOME: Partial<Record<Advice, AgainRow['outcome']>> = { later: 'not_charged', fix: 'format_error' };

const LISTED = Object.keys(REJECTIONS).map(Number);

/**
 * Returns SQL for the rows, newest file first, and its values. It takes rows from the indexes of what was not paid, at
 * most `most`, before it looks up anything else; so its cost does not grow with the ledger.
 * @param most how many rows to look at
 */
export function againQuery(
  { account, advice, fileId, leftBy, sentAfter }: AgainFilter,
  most: number,
  after?: AgainPlace,
) {
  const values: unknown[] = [most];
  const put = (value: unknown) => `$${values.push(value)}`;
  const place = after && { file: put(after.fileNo), line: put(after.line) };
  const wanted = advice === undefined ? [] : [advice].flat().map((one) => adviceCondition(one, put));
  const own = account === undefined ? undefined : put(account);
  /** Conditions on a row `o` of either table that need no other table, or only one row of it. */
  const conditions = [
    NOT_PAID,
    // Rows of files that are not finished; there are few such files.
    `o.file_no <> ALL (ARRAY(SELECT file_no FROM file WHERE state IN ('accepted', 'in_progress')))`,
    `NOT EXISTS (SELECT 1 FROM resubmitted_row s WHERE s.file_no = o.file_no AND s.line = o.line${
      sentAfter === undefined ? '' : ` AND s.resubmission_no <= ${put(sentAfter)}`
    })`,
    ...(place ? [`o.file_no <= ${place.file} AND (o.file_no < ${place.file} OR o.line > ${place.line})`] : []),
    ...(wanted.length === 0 ? [] : [`(${wanted.join(' OR ')})`]),
    ...(fileId === undefined ? [] : [`o.file_no = (SELECT file_no FROM file WHERE file_id = ${put(fileId)})`]),
    ...(leftBy === undefined ? [] : [leftCondition(put(leftBy))]),
    ...(own === undefined ? [] : [`(SELECT f.account FROM file f WHERE f.file_no = o.file_no) = ${own}`]),
  ].join(' AND ');
  const pick = (table: string, number: string) =>
    `(SELECT o.file_no, o.line, o.outcome, o.code, ${number} AS correction_no FROM ${table} o WHERE ${conditions}
      ORDER BY o.file_no DESC, o.line LIMIT $1)`;
  const text = `SELECT f.file_no AS "fileNo", f.file_id AS "fileId", f.name, f.account, c.line, r.batch_no AS "batchNo",
           r.invoice, r.last_four AS "lastFour", r.amount_cents AS cents, c.outcome, c.code, b.final_at AS since
    FROM (${pick('row_outcome', '0')} UNION ALL ${pick('row_change', 'o.correction_no')}
          ORDER BY file_no DESC, line LIMIT $1) c
      CROSS JOIN LATERAL (SELECT * FROM file WHERE file.file_no = c.file_no OFFSET 0) f
      CROSS JOIN LATERAL (SELECT * FROM payment_row x WHERE x.file_no = c.file_no AND x.line = c.line OFFSET 0) r
      CROSS JOIN LATERAL (SELECT final_at FROM batch x WHERE x.file_id = f.file_id AND x.batch_no = r.batch_no OFFSET 0) b
    -- Only its last outcome counts, and no row of a call that the ledger had lost.
    WHERE NOT EXISTS (SELECT FROM row_change k WHERE k.file_no = c.file_no AND k.line = c.line
                        AND k.correction_no > c.correction_no OFFSET 0)
      AND f.shredded_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM forgotten_send g WHERE g.file_id = f.file_id AND g.batch_no = r.batch_no)`;
  return { text, values };
}

/** Puts a value among those of a query and returns its place there, such as `$2`. */
export type Put = (value: unknown) => string;

/** Returns SQL for whether a run did not send a row `o` again. */
function leftCondition(run: string): string {
  const left = `FROM reprocess_item i JOIN file f USING (file_id) WHERE i.run_no = ${run} AND i.result <> 'done'`;
  return `o.file_no = ANY (ARRAY(SELECT f.file_no ${left}))
    AND EXISTS (SELECT ${left} AND f.file_no = o.file_no AND o.line = ANY (i.lines))`;
}

/** Returns SQL for whether a row `o` has this advice. An unlisted code is treated as `rejectionOf` does. */
export function adviceCondition(advice: Advice, put: Put): string {
  const codes = LISTED.filter((code) => REJECTIONS[code]!.advice === advice);
  const listed = `o.code = ANY (${put(codes)}::int[])`;
  const outcome = OF_OUTCOME[advice];
  const declined = advice === 'unknown' ? `(${listed} OR coalesce(o.code, -1) <> ALL (${put(LISTED)}::int[]))` : listed;
  const ofCode = `(o.outcome = 'declined' AND ${declined})`;
  return outcome === undefined ? ofCode : `(${ofCode} OR o.outcome = '${outcome}')`;
}

/** Rows that may go again are counted up to here. */
export const MOST_AGAIN = 500;

/** Most rows that a page of a list looks at. */
const MOST_LOOKED_AT = 10_000;

/** Returns a page of the rows that may go again, newest file first, in the order of their lines. */
export async function listAgain(
  { pool }: Ledger,
  filter: AgainFilter,
  { after, limit }: { after?: AgainPlace | undefined; limit: number },
): Promise<AgainRow[]> {
  const { text, values } = againQuery(filter, MOST_LOOKED_AT, after);
  const ordered = `${text} ORDER BY c.file_no DESC, c.line LIMIT $${values.length + 1}`;
  return (await pool.query<AgainRow>(ordered, [...values, limit])).rows;
}

/** Sums these rows for each account, as far as `most` of them go. */
export async function sumAgain({ pool }: Ledger, filter: AgainFilter, most = MOST_AGAIN): Promise<AgainSum[]> {
  const { text, values } = againQuery(filter, most);
  const sums = `SELECT account, count(*)::int AS rows, sum(cents)::bigint AS cents FROM (${text}) a
                GROUP BY account ORDER BY account`;
  return (await pool.query<AgainSum>(sums, values)).rows;
}

/** Returns the number of the last resubmission; 0 before the first. */
export async function lastResubmission({ pool }: Ledger): Promise<number> {
  const { rows } = await pool.query<{ last: number }>(
    'SELECT coalesce(max(resubmission_no), 0)::bigint AS last FROM resubmission',
  );
  return rows[0]!.last;
}

/** A file made from rows of another that has not come back through its drop folder. Money is integer cents. */
export type LostFile = {
  resubmissionNo: number;
  fileId: string;
  name: string;
  account: string;
  rows: number;
  cents: number;
  since: Date;
};

/** How long a file takes to come back at most, in ms; schedules may take longer and are listed too. */
const BACK_MS = 600_000;

/** Returns these files, newest first, at most 50. Each resubmission is one row, so the table stays small. */
export async function listLost({ pool, clock }: Ledger): Promise<LostFile[]> {
  const { rows } = await pool.query<LostFile>(
    `SELECT resubmission_no AS "resubmissionNo", file_id AS "fileId", name, account, rows, cents, at AS since FROM resubmission
     WHERE new_file_id IS NULL AND at < $1 ORDER BY resubmission_no DESC LIMIT 50`,
    [new Date(clock.now().getTime() - BACK_MS)],
  );
  return rows;
}
