import { REPROCESS_MOVES, type ReprocessMove } from '../../../schemas/lifecycle.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { AuditReason, BatchKey } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { storableJson } from '../engine/storable-text.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import { type AgainFilter, againQuery } from '../overview/may-go-again.ts';
import { FORGOTTEN, judgeItems, type ReprocessRow } from './judge-items.ts';

/** Things that a person picked one by one. */
export type Picked = {
  readonly rows: readonly { readonly fileId: string; readonly line: number }[];
  /** Refused batches. */
  readonly batches: readonly BatchKey[];
  /** Resubmissions whose file never came back. */
  readonly lost: readonly number[];
};

/** Most payments of a selection. */
export const MOST_SELECTED = 50_000;

/** How long a selection that nothing came of is kept. */
const UNUSED = `interval '1 day'`;

/**
 * Freezes what a person picked. What may not be done again can only be a forged or outdated choice, so nothing is frozen
 * then; a row that was resubmitted meanwhile is left out by the plan.
 * @returns the number of the selection
 * @throws PipelineError NOT_FOUND; MOVE_REFUSED when a row may be charged, a batch was not refused, or a file came back
 */
export async function selectPicked(ledger: Ledger, picked: Picked, because: AuditReason): Promise<number> {
  const { rows, batches, lost } = picked;
  return transact(ledger, async (tx) => {
    const runNo = await makeSelection(tx, {}, because);
    const ofRows = await addItems(tx, runNo, ROWS, [rows.map(({ fileId }) => fileId), rows.map(({ line }) => line)]);
    const keys = [batches.map(({ fileId }) => fileId), batches.map(({ batchNo }) => batchNo)];
    const ofBatches = await addItems(tx, runNo, BATCHES, keys);
    const ofLost = await addItems(tx, runNo, LOST, [lost]);
    mustBeThere(ofRows.rows, rows);
    mustBeThere(ofBatches.items, batches);
    mustBeThere(ofLost.items, lost);
    mustFit(ofRows.rows + ofBatches.rows + ofLost.rows, 'Choose at least one.');
    const { items } = await judgeItems(tx.client, runNo);
    for (const { name, left } of items) {
      const [first] = left.filter(({ why }) => !why.startsWith('already resubmitted'));
      if (first) throw new PipelineError('MOVE_REFUSED', `select payments of "${name}"`, first.why);
    }
    return runNo;
  });
}

/**
 * Freezes all payments that match the filter now, whether or not a page shows them.
 * @returns the number of the selection
 * @throws PipelineError MOVE_REFUSED when there is none; USAGE when there are too many
 */
export async function selectAll(ledger: Ledger, filter: AgainFilter, because: AuditReason): Promise<number> {
  const { text, values } = againQuery(filter, MOST_SELECTED + 1);
  const all = `SELECT 'resubmit', "fileId", array_agg(line ORDER BY line), NULL::int, NULL::int, NULL::bigint,
      count(*)::int, sum(cents)::bigint, "fileNo" FROM (${text}) a GROUP BY "fileNo", "fileId"`;
  return transact(ledger, async (tx) => {
    const runNo = await makeSelection(tx, filter, because);
    const isPart = filter.account !== undefined || filter.advice !== undefined;
    mustFit((await addItems(tx, runNo, all, values)).rows, isPart ? OTHER_PART : NONE_AT_ALL);
    return runNo;
  });
}

/** Each reads columns of an item, and its file for the order. */
const ROWS = `
  SELECT 'resubmit', f.file_id, array_agg(r.line ORDER BY r.line), NULL::int, NULL::int, NULL::bigint,
         count(*)::int, sum(r.amount_cents)::bigint, f.file_no
  FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::int[]) AS u (file_id, line)) u
    JOIN file f USING (file_id) JOIN payment_row r ON r.file_no = f.file_no AND r.line = u.line
  GROUP BY f.file_no, f.file_id`;
const BATCHES = `
  SELECT DISTINCT 'retry', b.file_id, NULL::int[], b.batch_no, b.attempt, NULL::bigint, b.rows, b.cents, f.file_no
  FROM unnest($1::text[], $2::int[]) AS u (file_id, batch_no) JOIN batch b USING (file_id, batch_no) JOIN file f USING (file_id)`;
const LOST = `
  SELECT DISTINCT 'drop-again', s.file_id, NULL::int[], NULL::int, NULL::int, s.resubmission_no, s.rows, s.cents, f.file_no
  FROM unnest($1::bigint[]) AS u (resubmission_no) JOIN resubmission s USING (resubmission_no) JOIN file f USING (file_id)`;

/** Items that were added, and their payments. */
type Added = { items: number; rows: number };

async function addItems({ client }: Transaction, runNo: number, select: string, values: unknown[]): Promise<Added> {
  const { rows } = await client.query<Added>(
    `WITH items AS (
       INSERT INTO reprocess_item (run_no, item_no, action, file_id, lines, batch_no, attempt, resubmission_no, rows, cents,
                                   forgotten)
       SELECT $${values.length + 1}, (SELECT count(*) FROM reprocess_item WHERE run_no = $${values.length + 1})
              + row_number() OVER (ORDER BY i.file_no DESC, i.batch_no, i.resubmission_no),
              i.action, i.file_id, i.lines, i.batch_no, i.attempt, i.resubmission_no, i.rows, i.cents,
              ${FORGOTTEN}
       FROM (${select}) AS i (action, file_id, lines, batch_no, attempt, resubmission_no, rows, cents, file_no)
       RETURNING rows)
     SELECT count(*)::int AS items, coalesce(sum(rows), 0)::int AS rows FROM items`,
    [...values, runNo],
  );
  return rows[0]!;
}

function mustBeThere(found: number, picked: readonly unknown[]): void {
  if (found !== new Set(picked.map((each) => JSON.stringify(each))).size)
    throw new PipelineError('NOT_FOUND', 'select payments');
}

const NONE_AT_ALL =
  'Payments that were not made are selected once their file is finished; "paydrop reprocess list" shows what was sent again.';
const OTHER_PART =
  'Choose another account or advice, or leave them out; "paydrop reprocess list" shows what was sent again.';

/** @param next what to do when there is none */
function mustFit(rows: number, next: string): void {
  if (rows === 0)
    throw new PipelineError('MOVE_REFUSED', 'select payments', 'there are none that may go again', { next });
  if (rows <= MOST_SELECTED) return;
  throw new PipelineError('USAGE', 'select payments', `there are more than ${MOST_SELECTED}`, {
    next: 'Choose one account or one advice.',
  });
}

async function makeSelection(tx: Transaction, filter: AgainFilter, because: AuditReason): Promise<number> {
  await tx.client.query(
    `DELETE FROM reprocess_run r WHERE state = 'selected' AND made_by = $1 AND made_at < $2::timestamptz - ${UNUSED}
       AND NOT EXISTS (SELECT FROM proposal p WHERE p.run_no = r.run_no)`,
    [because.actor, tx.at],
  );
  const { rows } = await tx.client.query<ReprocessRow>(
    `INSERT INTO reprocess_run (state, state_at, filter, made_by, made_at) VALUES ('selected', $1, $2, $3, $1) RETURNING *`,
    [tx.at, storableJson(filter), because.actor],
  );
  noteMove(tx, 'select-reprocess', rows[0]!, because);
  return rows[0]!.run_no;
}

/** Adds a move of a selection to the audit trail. */
export function noteMove(tx: Transaction, move: ReprocessMove, run: ReprocessRow, because: AuditReason): void {
  const { from, to } = REPROCESS_MOVES.find(({ name }) => name === move)!;
  tx.audit({ ...because, move, from, to, evidence: { selection: run.run_no, ...because.evidence } });
}
