import type { ReprocessAction, ReprocessResult } from '../../../schemas/lifecycle.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { mustBeOpen } from '../admission/close-ledger.ts';
import type { AuditReason } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { storableText } from '../engine/storable-text.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import { type Binding, type ProposalRow, propose, voidProposals } from '../proposal/propose.ts';
import { FORGOTTEN, judgeItems, type LeftOut, type ReprocessRow, RESTORED, sumOf } from './judge-items.ts';
import { noteMove } from './select-items.ts';

/** What a person saw and typed: the digest of the plan, and a name for the run. */
export type BeginOptions = { readonly digest: string; readonly name: string };

/**
 * Makes the move `begin-reprocess`: records what goes and what stays, with the reason. A worker does the rest. A run
 * that was begun before stays as it is, so that several clicks make one run.
 * @throws PipelineError NOT_FOUND; MOVE_REFUSED when the plan is not the one that the person saw, or nothing goes;
 *   LEDGER_NOT_OPEN
 */
export async function beginReprocess(
  ledger: Ledger,
  runNo: number,
  options: BeginOptions,
  because: AuditReason,
): Promise<ReprocessRow> {
  return transact(ledger, (tx) => begin(tx, runNo, options, because));
}

async function begin(
  tx: Transaction,
  runNo: number,
  { digest, name }: BeginOptions,
  because: AuditReason,
): Promise<ReprocessRow> {
  const found = await lockRun(tx, runNo);
  if (found.state !== 'selected') return found;
  await mustBeOpen(tx);
  const judged = await judgeItems(tx.client, runNo);
  if (judged.digest !== digest) throw refusal(runNo, 'what may go again has changed since its plan was shown');
  if (judged.items.every(({ goes }) => goes === undefined)) throw refusal(runNo, 'none of it may go again');
  for (const { itemNo, goes, left } of judged.items) await divideItem(tx, { runNo, itemNo }, goes?.lines, left);
  const { rows } = await tx.client.query<ReprocessRow>(
    `UPDATE reprocess_run SET state = 'running', state_at = $2, name = $3, reason = $4, begun_by = $5, begun_at = $2
     WHERE run_no = $1 RETURNING *`,
    [runNo, tx.at, storableText(name), storableText(because.reason), because.actor],
  );
  noteMove(tx, 'begin-reprocess', rows[0]!, { ...because, evidence: { name, ...sumOf(judged), ...because.evidence } });
  await voidProposals(tx, { runNo }, because);
  return rows[0]!;
}

export type ItemKey = { readonly runNo: number; readonly itemNo: number };

/** Lines that are not sent again, and why. A batch and a lost file have none: they stay as a whole. */
export type Stay = Pick<LeftOut, 'lines' | 'why'>;

/**
 * Leaves in an item the lines that go, and puts each part that stays into an item of its own, which has ended. So every
 * payment that was selected is in exactly one item.
 * @param goes undefined when nothing does
 */
async function divideItem(
  tx: Transaction,
  key: ItemKey,
  goes: readonly number[] | undefined,
  left: readonly Stay[],
): Promise<void> {
  const [first, ...others] = left;
  if (!first) return;
  await resize(tx, key, goes ?? first.lines);
  if (!goes) await endItem(tx, key, { result: 'left_out', explanation: first.why });
  for (const { lines, why } of goes ? left : others)
    await tx.client.query(
      `INSERT INTO reprocess_item (run_no, item_no, action, file_id, lines, rows, cents, forgotten, result, explanation, ended_at)
       SELECT run_no, (SELECT max(item_no) + 1 FROM reprocess_item WHERE run_no = $1), action, file_id, $3::int[],
              cardinality($3::int[]), ${CENTS}, forgotten, 'left_out', $4, $5
       FROM reprocess_item i WHERE run_no = $1 AND item_no = $2`,
      [key.runNo, key.itemNo, lines, storableText(why), tx.at],
    );
}

/** SQL: the money of lines `$3` of the file of item `i`. */
const CENTS = `(SELECT sum(r.amount_cents)::bigint FROM file f JOIN payment_row r USING (file_no)
                WHERE f.file_id = i.file_id AND r.line = ANY ($3::int[]))`;

async function resize(tx: Transaction, { runNo, itemNo }: ItemKey, lines: readonly number[]): Promise<void> {
  await tx.client.query(
    `UPDATE reprocess_item i SET lines = $3::int[], rows = cardinality($3::int[]), cents = ${CENTS}
     WHERE run_no = $1 AND item_no = $2 AND action = 'resubmit'`,
    [runNo, itemNo, lines],
  );
}

/**
 * Ends an item of a running run, in the transaction that does what it is about.
 * @throws PipelineError MOVE_REFUSED when it has ended, as by a stop, or an older copy of the ledger was restored; then
 *   nothing must be done
 */
export async function endItem(
  tx: Transaction,
  { runNo, itemNo }: ItemKey,
  { result, explanation, resubmissionNo }: { result: ReprocessResult; explanation: string; resubmissionNo?: number },
): Promise<void> {
  const { rowCount } = await tx.client.query(
    `UPDATE reprocess_item i SET result = $3, explanation = $4, ended_at = $5, resubmission_no = coalesce($6, resubmission_no)
     WHERE run_no = $1 AND item_no = $2 AND result IS NULL AND ($3 <> 'done' OR forgotten = ${FORGOTTEN})`,
    [runNo, itemNo, result, storableText(explanation), tx.at, resubmissionNo ?? null],
  );
  if (rowCount === 0) throw refusal(runNo, 'this item has ended');
}

/** Ends an item whose rows are recorded: those that stay become items of their own. */
export async function endDivided(
  tx: Transaction,
  key: ItemKey,
  {
    goes,
    left,
    ...end
  }: { goes: readonly number[]; left: readonly Stay[]; resubmissionNo: number; explanation: string },
): Promise<void> {
  await divideItem(tx, key, goes, left);
  await endItem(tx, key, { result: 'done', ...end });
}

/** Records that the new file of an item got its name, or why it never will. */
export async function noteDropped({ pool, clock }: Ledger, { runNo, itemNo }: ItemKey, failed?: string): Promise<void> {
  await pool.query(
    `UPDATE reprocess_item SET dropped_at = $3, result = CASE WHEN $4::text IS NULL THEN result ELSE 'failed' END,
            explanation = coalesce($4, explanation) WHERE run_no = $1 AND item_no = $2`,
    [runNo, itemNo, clock.now(), failed === undefined ? null : storableText(failed)],
  );
}

/** SQL: the worker still has something to do for an item. */
const IS_OPEN_ITEM = `(result IS NULL OR (result = 'done' AND action = 'resubmit' AND dropped_at IS NULL))`;

/** An item for the worker. */
export type OpenItem = ItemKey & {
  readonly action: ReprocessAction;
  readonly fileId: string;
  readonly lines: readonly number[] | null;
  readonly batchNo: number | null;
  readonly attempt: number | null;
  /** Of an item of rows: they are recorded, and the new file may lack its name. */
  readonly resubmissionNo: number | null;
};

/** SQL: such an item of run `r` at site `$1`. */
const DUE_HERE = `FROM reprocess_item i JOIN file f USING (file_id)
  WHERE i.run_no = r.run_no AND f.site = $1 AND ${IS_OPEN_ITEM}`;

/** Returns what is to be done of a run for the files of a site, in order. */
export async function readOpenItems({ pool }: Ledger, runNo: number, site: string): Promise<OpenItem[]> {
  const { rows } = await pool.query<OpenItem>(
    `SELECT due.* FROM reprocess_run r CROSS JOIN LATERAL (
       SELECT i.run_no AS "runNo", i.item_no AS "itemNo", i.action, i.file_id AS "fileId", i.lines,
              i.batch_no AS "batchNo", i.attempt, i.resubmission_no AS "resubmissionNo" ${DUE_HERE}) due
     WHERE r.run_no = $2 AND r.state = 'running' ORDER BY due."itemNo"`,
    [site, runNo],
  );
  return rows;
}

/** Returns the running runs with something to do at a site, or with nothing left at all. */
export async function findOpenRuns({ pool }: Ledger, site: string): Promise<number[]> {
  const { rows } = await pool.query<{ run: number }>(
    `SELECT run_no AS run FROM reprocess_run r WHERE state = 'running' AND (EXISTS (SELECT ${DUE_HERE})
       OR NOT EXISTS (SELECT FROM reprocess_item WHERE run_no = r.run_no AND ${IS_OPEN_ITEM})) ORDER BY run_no`,
    [site],
  );
  return rows.map(({ run }) => run);
}

/**
 * Leaves out the items of accounts of which the send journal has shown lost calls since their selection. The ledger is
 * an older copy then, and what it has open may have been done.
 */
export async function leaveOutForgotten({ pool, clock }: Ledger, runNo: number): Promise<void> {
  await pool.query(
    `UPDATE reprocess_item i SET result = 'left_out', explanation = $2, ended_at = $3
     WHERE run_no = $1 AND result IS NULL AND forgotten <> ${FORGOTTEN}`,
    [runNo, RESTORED, clock.now()],
  );
}

/** Makes the move `end-reprocess` once no item is left. @returns whether this call made it */
export async function endReprocess(ledger: Ledger, runNo: number, because: AuditReason): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<ReprocessRow>(
      `UPDATE reprocess_run r SET state = 'ended', state_at = $2 WHERE run_no = $1 AND state = 'running'
         AND NOT EXISTS (SELECT FROM reprocess_item WHERE run_no = r.run_no AND ${IS_OPEN_ITEM}) RETURNING *`,
      [runNo, tx.at],
    );
    if (!rows[0]) return false;
    const { rows: results } = await tx.client.query<Record<string, number>>(
      `SELECT coalesce(result, '') AS result, sum(rows)::int AS rows FROM reprocess_item WHERE run_no = $1 GROUP BY 1`,
      [runNo],
    );
    const counts = Object.fromEntries(results.map(({ result, rows: count }) => [result, count]));
    noteMove(tx, 'end-reprocess', rows[0], { ...because, evidence: counts });
    return true;
  });
}

/**
 * Leaves out every item that is not done. What is done stays done, and the worker ends the run after the file in hand.
 * @throws PipelineError NOT_FOUND; MOVE_REFUSED when it is not running
 */
export async function stopReprocess(ledger: Ledger, runNo: number, because: AuditReason): Promise<{ leftOut: number }> {
  return transact(ledger, async (tx) => {
    const { state } = await lockRun(tx, runNo);
    if (state !== 'running') throw refusal(runNo, 'it is not running');
    const explanation = `stopped by ${because.actor.replace(/^operator:/, '')}`;
    const { rows } = await tx.client.query<{ rows: number }>(
      `WITH stopped AS (UPDATE reprocess_item SET result = 'left_out', explanation = $2, ended_at = $3
                        WHERE run_no = $1 AND result IS NULL RETURNING rows)
       SELECT coalesce(sum(rows), 0)::int AS rows FROM stopped`,
      [runNo, explanation, tx.at],
    );
    const leftOut = rows[0]!.rows;
    await tx.client.query('UPDATE reprocess_run SET stopped_by = $2 WHERE run_no = $1', [runNo, because.actor]);
    tx.audit({ ...because, move: 'stop-reprocess', evidence: { selection: runNo, leftOut, ...because.evidence } });
    return { leftOut };
  });
}

/**
 * Proposes a run to another person, bound to its plan.
 * @returns the number of the proposal
 * @throws PipelineError PROPOSAL_OPEN, MOVE_REFUSED
 */
export async function proposeReprocess(
  ledger: Ledger,
  runNo: number,
  { digest, name }: BeginOptions,
  { actor, reason, evidence }: AuditReason,
): Promise<number> {
  return transact(ledger, async (tx) => {
    const binding = await bindingOfReprocess(tx, { run_no: runNo });
    if (binding['digest'] !== digest) throw refusal(runNo, 'what may go again has changed since its plan was shown');
    return propose(tx, { action: 'reprocess', binding, reason, actor, runNo, evidence: { name, ...evidence } });
  });
}

/** Returns what such a proposal is bound to. Locks the run. */
export async function bindingOfReprocess(
  tx: Transaction,
  { run_no: runNo }: Pick<ProposalRow, 'run_no'>,
): Promise<Binding> {
  const { state } = await lockRun(tx, runNo!);
  const judged = await judgeItems(tx.client, runNo!);
  return { digest: judged.digest, state, ...sumOf(judged) };
}

/** Carries out such a proposal. Throws what `beginReprocess` throws. */
export async function beginProposed(
  tx: Transaction,
  { run_no: runNo, binding, evidence }: Pick<ProposalRow, 'run_no' | 'binding' | 'evidence'>,
  because: AuditReason,
): Promise<void> {
  const options = { digest: String(binding['digest']), name: String(evidence['name']) };
  await begin(tx, runNo!, options, because);
}

async function lockRun({ client }: Transaction, runNo: number): Promise<ReprocessRow> {
  const { rows } = await client.query<ReprocessRow>('SELECT * FROM reprocess_run WHERE run_no = $1 FOR UPDATE', [
    runNo,
  ]);
  if (!rows[0]) throw new PipelineError('NOT_FOUND', `find selection ${runNo}`);
  return rows[0];
}

function refusal(runNo: number, why: string): PipelineError {
  return new PipelineError('MOVE_REFUSED', `reprocess selection ${runNo}`, why, { next: 'Look at its plan again.' });
}
