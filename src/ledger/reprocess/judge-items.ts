import { createHash } from 'node:crypto';
import { OUTCOMES, type Outcome, type ReprocessAction, type ReprocessState } from '../../../schemas/lifecycle.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { REJECTIONS } from '../../../schemas/rejections.ts';
import { saidState, SHOWN_OUTCOMES } from '../../../schemas/shown.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { CERTAINLY_NOT_CHARGED } from '../batch/conditions.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { Queryable } from '../engine/transaction.ts';

/** A set of things that a person has done again, from its selection to its end. */
export type ReprocessRow = {
  run_no: number;
  state: ReprocessState;
  state_at: Date;
  filter: Readonly<Record<string, unknown>>;
  made_by: string;
  made_at: Date;
  /** These are null until it begins. */
  name: string | null;
  reason: string | null;
  begun_by: string | null;
  begun_at: Date | null;
  stopped_by: string | null;
};

/** @throws PipelineError NOT_FOUND */
export async function readReprocess(client: Queryable, runNo: number): Promise<ReprocessRow> {
  const { rows } = await client.query<ReprocessRow>('SELECT * FROM reprocess_run WHERE run_no = $1', [runNo]);
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find selection ${runNo}`);
  return rows[0];
}

/** A run with its payments: all, done, and left out or failed. */
export type ReprocessLine = ReprocessRow & { rows: number; done: number; left: number };

/**
 * Returns the last runs and selections, newest first.
 * @param begunSince only what was begun since then
 */
export async function listRuns({ pool }: Ledger, limit: number, begunSince?: Date): Promise<ReprocessLine[]> {
  const { rows } = await pool.query<ReprocessLine>(
    `SELECT r.*, i.* FROM (SELECT * FROM reprocess_run WHERE $2::timestamptz IS NULL OR begun_at >= $2
                           ORDER BY run_no DESC LIMIT $1) r CROSS JOIN LATERAL (
       SELECT coalesce(sum(rows), 0)::int AS rows, coalesce(sum(rows) FILTER (WHERE result = 'done'), 0)::int AS done,
              coalesce(sum(rows) FILTER (WHERE result IN ('left_out', 'failed')), 0)::int AS left
       FROM reprocess_item WHERE run_no = r.run_no) i ORDER BY r.run_no DESC`,
    [limit, begunSince ?? null],
  );
  return rows;
}

/** Payments of an item. Lines are those of its file; a refused batch and a lost file have none. Money is integer cents. */
export type Portion = { readonly lines: readonly number[]; readonly rows: number; readonly cents: number };

/** Payments that are not done again, and why. */
export type LeftOut = Portion & { readonly why: string };

/** An item by what the ledger says now. */
export type JudgedItem = {
  readonly itemNo: number;
  readonly action: ReprocessAction;
  readonly fileId: string;
  readonly batchNo: number | null;
  readonly attempt: number | null;
  readonly resubmissionNo: number | null;
  readonly name: string;
  readonly account: string;
  readonly operation: FolderOperation;
  /** What goes; undefined when nothing of it does. */
  readonly goes: Portion | undefined;
  readonly left: readonly LeftOut[];
};

export type Judged = {
  readonly items: readonly JudgedItem[];
  /** Differs whenever anything that goes, or stays, does. */
  readonly digest: string;
};

/** Codes after which a row must not be sent again. */
const BARRED_CODES = Object.keys(REJECTIONS)
  .map(Number)
  .filter((code) => ['never', 'unknown'].includes(REJECTIONS[code]!.advice));
const LISTED_CODES = Object.keys(REJECTIONS).map(Number);

/** SQL: how many calls of the account of item `i` the ledger had lost. */
export const FORGOTTEN = `(SELECT count(*) FROM forgotten_send g JOIN file a USING (merchant_no) WHERE a.file_id = i.file_id)::int`;

const OVER = `('completed', 'partly_cancelled', 'cancelled')`;

/** SQL: a row of the resubmission `w` of file `f` may have been charged after all, so it must never come back. */
const IS_CHARGED = `EXISTS (SELECT FROM resubmitted_row r JOIN current_outcome o USING (file_no, line)
  WHERE r.file_no = f.file_no AND r.resubmission_no = w.resubmission_no AND o.outcome <> ALL ($2))`;

/** Each row with why it stays; null for one that goes. `resubmit-action.ts` and `recordResubmission` decide alike. */
const ROWS = `
  SELECT i.item_no AS "itemNo", j.why,
         CASE j.why WHEN 'resubmitted' THEN s.actor WHEN 'unfinished' THEN f.state WHEN 'outcome' THEN coalesce(o.outcome, '')
           ELSE '' END AS detail, array_agg(u.line ORDER BY u.line) AS lines,
         count(*)::int AS rows, sum(r.amount_cents)::bigint AS cents
  FROM item i JOIN file f USING (file_id)
    CROSS JOIN LATERAL (SELECT i.forgotten <> ${FORGOTTEN} AS is_older OFFSET 0) h
    CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM resubmission w WHERE w.file_id = f.file_id AND w.new_file_id IS NULL
                                         AND NOT ${IS_CHARGED}) AS is_awaited OFFSET 0) e
    CROSS JOIN LATERAL unnest(i.lines) AS u (line)
    CROSS JOIN LATERAL (SELECT * FROM payment_row x WHERE x.file_no = f.file_no AND x.line = u.line OFFSET 0) r
    LEFT JOIN LATERAL (SELECT outcome, code FROM current_outcome x
                       WHERE x.file_no = f.file_no AND x.line = u.line OFFSET 0) o ON true
    LEFT JOIN LATERAL (SELECT s.actor FROM resubmitted_row x JOIN resubmission s USING (resubmission_no)
                       WHERE x.file_no = f.file_no AND x.line = u.line OFFSET 0) s ON true
    LEFT JOIN LATERAL (SELECT state FROM batch x WHERE x.file_id = f.file_id AND x.batch_no = r.batch_no OFFSET 0) b ON true
    CROSS JOIN LATERAL (SELECT CASE
        WHEN s.actor IS NOT NULL THEN 'resubmitted'
        WHEN h.is_older THEN 'restored'
        WHEN f.state NOT IN ${OVER} THEN 'unfinished'
        WHEN f.shredded_at IS NOT NULL THEN 'shredded'
        WHEN o.outcome IS NULL AND b.state IS DISTINCT FROM 'cancelled' THEN 'outcome'
        WHEN o.outcome NOT IN ('declined', 'format_error', 'not_charged') THEN 'outcome'
        WHEN o.outcome = 'declined' AND (o.code = ANY ($3) OR o.code <> ALL ($4)) THEN 'code'
        WHEN EXISTS (SELECT FROM forgotten_send g WHERE g.file_id = f.file_id AND g.batch_no = r.batch_no) THEN 'forgotten'
        WHEN e.is_awaited THEN 'awaited' END AS why OFFSET 0) j
  WHERE i.action = 'resubmit' GROUP BY 1, 2, 3`;

const OTHERS = `
  SELECT i.item_no, CASE WHEN b.state <> 'refused' THEN 'moved on' WHEN b.attempt <> i.attempt THEN 'sent meanwhile'
           WHEN i.forgotten <> ${FORGOTTEN} THEN 'restored' END, b.state, NULL::int[], i.rows, i.cents
  FROM item i JOIN batch b USING (file_id, batch_no) WHERE i.action = 'retry'
  UNION ALL
  SELECT i.item_no, CASE WHEN w.new_file_id IS NOT NULL THEN 'came back' WHEN ${IS_CHARGED} THEN 'charged'
           WHEN i.forgotten <> ${FORGOTTEN} THEN 'restored' END, '', NULL::int[], i.rows, i.cents
  FROM item i JOIN resubmission w USING (resubmission_no) JOIN file f ON f.file_id = w.file_id
  WHERE i.action = 'drop-again'`;

type Part = { itemNo: number; why: Why | null; detail: string; lines: number[] | null; rows: number; cents: number };

/** Why nothing of an account goes on by itself after an older copy of the ledger was restored. */
export const RESTORED =
  'the send journal has shown calls of the account that the ledger had lost; look first, and select again';

const WHYS = {
  resubmitted: (actor: string) => `already resubmitted by ${nameOf(actor)}`,
  restored: () => RESTORED,
  unfinished: (state: string) => `the file is ${saidState(state)}`,
  shredded: () => 'the retention of the file has ended',
  outcome: (outcome: string) => `its outcome is ${saidOutcomeNow(outcome)}`,
  code: () => 'its code says not to send it again',
  forgotten: () => 'a call of its batch was lost by the ledger',
  awaited: () => 'the file of an earlier resubmission has not come back yet',
  'moved on': (state: string) => `the batch is ${saidState(state)}`,
  'sent meanwhile': () => 'the batch was sent again meanwhile',
  'came back': () => 'the file has come back',
  charged: () => 'a row of it may have been charged',
} as const;
type Why = keyof typeof WHYS;

function nameOf(actor: string): string {
  return actor.replace(/^operator:/, '');
}

function saidOutcomeNow(outcome: string): string {
  return Object.hasOwn(OUTCOMES, outcome) ? SHOWN_OUTCOMES[outcome as Outcome].word.toLowerCase() : 'not known yet';
}

/**
 * Judges the items of a selection that have not ended: what goes, what stays, and why. Reads the ledger only. It never
 * finds more than was frozen.
 * @param client a transaction that is to see nothing else in between, or any connection
 */
export async function judgeItems(client: Queryable, runNo: number): Promise<Judged> {
  const item = 'item AS (SELECT * FROM reprocess_item WHERE run_no = $1 AND result IS NULL)';
  const { rows: parts } = await client.query<Part>(`WITH ${item} ${ROWS} UNION ALL ${OTHERS} ORDER BY 1, 2, 3`, [
    runNo,
    CERTAINLY_NOT_CHARGED,
    BARRED_CODES,
    LISTED_CODES,
  ]);
  const { rows: found } = await client.query<Omit<JudgedItem, 'goes' | 'left'>>(
    `SELECT i.item_no AS "itemNo", i.action, i.file_id AS "fileId", i.batch_no AS "batchNo", i.attempt,
            i.resubmission_no AS "resubmissionNo", coalesce(s.name, f.name) AS name, f.account, f.operation
     FROM reprocess_item i JOIN file f USING (file_id)
       LEFT JOIN resubmission s ON s.resubmission_no = i.resubmission_no
     WHERE i.run_no = $1 AND i.result IS NULL ORDER BY i.item_no`,
    [runNo],
  );
  const partsOf = groupBy(parts, ({ itemNo }) => String(itemNo));
  const items = found.map((each): JudgedItem => {
    const own = partsOf.get(String(each.itemNo)) ?? [];
    const goes = own.find(({ why }) => why === null);
    return { ...each, goes: goes && portionOf(goes), left: own.filter(({ why }) => why !== null).map(leftOf) };
  });
  return { items, digest: digestOf(items) };
}

function portionOf({ lines, rows, cents }: Part): Portion {
  return { lines: lines ?? [], rows, cents };
}

function leftOf(part: Part): LeftOut {
  return { ...portionOf(part), why: WHYS[part.why!](part.detail) };
}

function digestOf(items: readonly JudgedItem[]): string {
  return createHash('sha256').update(JSON.stringify(items)).digest('hex');
}

/** Payments and money that go; money is integer cents. */
export function sumOf({ items }: Pick<Judged, 'items'>): { rows: number; cents: number } {
  const goes = items.flatMap((item) => item.goes ?? []);
  return {
    rows: goes.reduce((sum, { rows }) => sum + rows, 0),
    cents: goes.reduce((sum, { cents }) => sum + cents, 0),
  };
}

/** An item as it ended, or as it waits. Money is integer cents. */
export type ReprocessItem = {
  itemNo: number;
  action: ReprocessAction;
  fileId: string;
  name: string;
  account: string;
  batchNo: number | null;
  lines: readonly number[] | null;
  rows: number;
  cents: number;
  /** Null while it waits. */
  result: 'done' | 'left_out' | 'failed' | null;
  explanation: string | null;
  endedAt: Date | null;
  /** The new file, and what it became once it came back. */
  newName: string | null;
  newFileId: string | null;
};

/**
 * Returns the items of a run in their order.
 * @param first at most so many, those that were not done before the others
 */
export async function readItems({ pool }: Ledger, runNo: number, first?: number): Promise<ReprocessItem[]> {
  const order = first === undefined ? '' : `array_position(ARRAY['failed', 'left_out', NULL], i.result),`;
  const { rows } = await pool.query<ReprocessItem>(
    `SELECT i.item_no AS "itemNo", i.action, i.file_id AS "fileId", f.name, f.account, i.batch_no AS "batchNo", i.lines,
            i.rows, i.cents, i.result, i.explanation, i.ended_at AS "endedAt", s.name AS "newName", s.new_file_id AS "newFileId"
     FROM reprocess_item i JOIN file f USING (file_id) LEFT JOIN resubmission s USING (resubmission_no)
     WHERE i.run_no = $1 ORDER BY ${order} i.item_no LIMIT $2`,
    [runNo, first ?? null],
  );
  return rows;
}

/** Items of a run with one result in one account. Money is integer cents. */
export type ReprocessSum = Pick<ReprocessItem, 'account' | 'result' | 'rows' | 'cents'> & { items: number };

/** Sums the items of a run by what became of them. */
export async function sumItems({ pool }: Ledger, runNo: number): Promise<ReprocessSum[]> {
  const { rows } = await pool.query<ReprocessSum>(
    `SELECT f.account, i.result, count(*)::int AS items, sum(i.rows)::int AS rows, sum(i.cents)::bigint AS cents
     FROM reprocess_item i JOIN file f USING (file_id) WHERE i.run_no = $1 GROUP BY 1, 2 ORDER BY 1, 2`,
    [runNo],
  );
  return rows;
}

/** One payment of a run, and what became of it. Money is integer cents. */
export type ReprocessPayment = Pick<
  ReprocessItem,
  'itemNo' | 'name' | 'account' | 'result' | 'explanation' | 'newName' | 'cents'
> & { line: number; invoice: string; lastFour: string };

/** Returns the payments of a run in the order of its items, after one of them. */
export async function readPayments(
  { pool }: Pick<Ledger, 'pool'>,
  runNo: number,
  after: Pick<ReprocessPayment, 'itemNo' | 'line'>,
  limit: number,
): Promise<ReprocessPayment[]> {
  const { rows } = await pool.query<ReprocessPayment>(
    `SELECT i.item_no AS "itemNo", f.name, f.account, r.line, r.invoice, r.last_four AS "lastFour", r.amount_cents AS cents,
            i.result, i.explanation, s.name AS "newName"
     FROM reprocess_item i JOIN file f USING (file_id) LEFT JOIN resubmission s USING (resubmission_no)
       CROSS JOIN LATERAL (
         SELECT unnest(i.lines) AS line
         UNION ALL SELECT p.line FROM batch b JOIN payment_row p
           ON p.file_no = f.file_no AND p.line BETWEEN b.first_line AND b.last_line AND p.batch_no = b.batch_no
         WHERE b.file_id = i.file_id AND b.batch_no = i.batch_no
         UNION ALL SELECT x.line FROM resubmitted_row x
         WHERE i.lines IS NULL AND x.file_no = f.file_no AND x.resubmission_no = i.resubmission_no) l
       CROSS JOIN LATERAL (SELECT * FROM payment_row p WHERE p.file_no = f.file_no AND p.line = l.line OFFSET 0) r
     WHERE i.run_no = $1 AND i.item_no >= $2 AND (i.item_no, l.line) > ($2, $3::int) ORDER BY i.item_no, l.line LIMIT $4`,
    [runNo, after.itemNo, after.line, limit],
  );
  return rows;
}
