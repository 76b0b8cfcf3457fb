import { crashPoint } from '../../kernel/crash-point.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { copyOutcomes, type RowOutcomes } from '../row/copy-rows.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';
import { transact, type Transaction } from '../engine/transaction.ts';
import { type BatchKey, moveBatch, mustMove, type Sql } from '../engine/move.ts';
import { queryInOne } from '../engine/query-together.ts';
import type { ReconciledRow } from '../../rows/rows.ts';

/**
 * Move `receive`: keeps the result file as the service returned it, sealed. Repeating it after a crash changes nothing.
 * No conclusion reaches the disk before it; a result lost in a power cut is fetched again.
 * @returns the batch after the move, or undefined when it did not wait for a result
 */
export async function receiveResult(
  ledger: Ledger,
  key: BatchKey,
  result: { sealed: Buffer; sha256: string; rows: number },
): Promise<BatchRow | undefined> {
  return transact(ledger, (tx) => receive(tx, key, result), { isFollowed: true });
}

function receive(
  tx: Transaction,
  key: BatchKey,
  { sealed, sha256, rows }: Parameters<typeof receiveResult>[2],
): Promise<BatchRow | undefined> {
  const because = { actor: 'worker:poll', reason: 'the result file is here', evidence: { sha256, rows } };
  const set = { result_at: tx.at, result_sha256: sha256, next_poll_at: null, stale_since: null, poll_alarm: null };
  return moveBatch(tx, 'receive', key, because, { set, also: keeping(sealed) });
}

/**
 * Returns the statement that keeps the result together with its move. A batch whose first result did not fit, or
 * belonged to another batch, already has one. The audit trail keeps its hash.
 */
function keeping(sealed: Buffer): Sql {
  return { sql: keepSealed('$1'), values: [sealed] };
}

/** @param sealed SQL value of the bytes, for each batch in `moved` */
function keepSealed(sealed: string): string {
  return `INSERT INTO sealed_part (file_id, batch_no, part, bytes)
    SELECT file_id, batch_no, 'result', ${sealed}::bytea FROM moved
    ON CONFLICT (file_id, batch_no, part) DO UPDATE SET bytes = excluded.bytes`;
}

/**
 * Move `reconcile`: writes one outcome per row, once, together with the new state.
 * @param nextRecheckAt when the result is fetched again, because outcomes may change late
 * @throws PipelineError MOVE_REFUSED when the outcomes do not match the batch's rows exactly: a row without one would
 *   count as never sent, and be sent again
 */
export async function reconcileBatch(
  ledger: Ledger,
  key: BatchKey,
  fileNo: number,
  outcomes: RowOutcomes,
  evidence: Record<string, unknown>,
  nextRecheckAt: Date | null = null,
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const row = await reconcile(tx, key, evidence, nextRecheckAt);
    if (!row) return false;
    await writeOutcomes(tx, { fileNo, batch: row, outcomes });
    return true;
  });
}

function reconcile(tx: Transaction, key: BatchKey, evidence: Record<string, unknown>, nextRecheckAt: Date | null) {
  crashPoint('poll.matched');
  const because = { actor: 'worker:poll', reason: 'every row matched, and counts and cents agree', evidence };
  return moveBatch(tx, 'reconcile', key, because, { set: { next_recheck_at: nextRecheckAt } });
}

/** A result that has arrived and fits, with its batch. */
export type FittingResult = {
  key: BatchKey;
  fileNo: number;
  result: Parameters<typeof receiveResult>[2];
  outcomes: RowOutcomes;
  evidence: Record<string, unknown>;
  nextRecheckAt: Date | null;
};

/**
 * Moves `receive` and `reconcile` of several batches, in one transaction. A small batch costs mostly its messages and
 * commits. All processes take the batches in one order, so that none waits for another that waits for it.
 * @throws PipelineError MOVE_REFUSED when one of them did not wait for its result, or its outcomes do not match its rows
 *   exactly; then nothing of any is written
 */
export async function reconcileTogether(ledger: Ledger, results: readonly FittingResult[]): Promise<void> {
  const nameOf = ({ key }: FittingResult) => `${key.fileId} ${String(key.batchNo).padStart(9, '0')}`;
  const inOrder = results.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  await transact(ledger, async (tx) => {
    const moved = await queryInOne(tx, (asked) =>
      inOrder.map(async ({ key, result, evidence, nextRecheckAt }) => {
        const steps = [receive(asked, key, result), reconcile(asked, key, evidence, nextRecheckAt)] as const;
        return (await Promise.all(steps))[1];
      }),
    );
    const parts = inOrder.map(({ fileNo, key, outcomes }, place) => ({
      fileNo,
      outcomes,
      batch: mustMove(moved[place], `reconcile batch ${key.batchNo} of file "${key.fileId}" with others`),
    }));
    await writeOutcomes(tx, parts[0]!, ...parts.slice(1));
  });
}

type OutcomeSum = { outcome: string; rows: number; cents: number };

type EndedBatch = { fileNo: number; batch: BatchRow; outcomes: RowOutcomes };

/**
 * Writes the outcomes of batches, inside the transaction of the moves that end them.
 * @throws PipelineError MOVE_REFUSED when they do not match the rows of a batch exactly
 */
export async function writeOutcomes(
  tx: Transaction,
  first: EndedBatch,
  ...others: readonly EndedBatch[]
): Promise<void> {
  const parts = [first, ...others];
  const copied = await copyOutcomes(tx, first.fileNo, first.outcomes, others);
  crashPoint('poll.outcomes-copied');
  // The database sums the outcomes as they are written, row by row (schemas/ledger/result.sql), so nothing has to be
  // read again.
  const { rows } = await tx.client.query<{ rows: number; cents: number; each: OutcomeSum[] }>(
    `SELECT coalesce(sum(o.rows), 0)::bigint AS rows, coalesce(sum(o.cents), 0)::bigint AS cents,
            json_agg(json_build_object('outcome', o.outcome, 'rows', o.rows, 'cents', o.cents)) AS each
     FROM unnest($1::bigint[], $2::integer[]) WITH ORDINALITY AS part (file_no, batch_no, place)
     LEFT JOIN batch_outcome o USING (file_no, batch_no) GROUP BY place ORDER BY place`,
    [parts.map(({ fileNo }) => fileNo), parts.map(({ batch }) => batch.batch_no)],
  );
  const isWhole = copied === parts.reduce((sum, { batch }) => sum + batch.rows, 0);
  const wrong = parts.find(
    ({ batch }, place) => !isWhole || rows[place]?.rows !== batch.rows || rows[place].cents !== batch.cents,
  );
  if (!wrong) {
    parts.forEach(({ batch: { account, operation } }, place) => {
      for (const { outcome, ...sum } of rows[place]!.each) {
        tx.count('paydrop_rows_total', { account, operation, outcome }, sum.rows);
        tx.count('paydrop_cents_total', { account, operation, outcome }, sum.cents);
      }
    });
    return;
  }
  const action = `reconcile batch ${wrong.batch.batch_no} of file "${wrong.batch.file_id}"`;
  throw new PipelineError('MOVE_REFUSED', action, 'the outcomes do not match its rows');
}

/**
 * Move `except`: the rows of the result are not the rows that were sent. An operator has to decide.
 * @param nextPollAt when the service is polled again, in case its file becomes right
 */
export async function exceptBatch(
  ledger: Ledger,
  key: BatchKey,
  reason: string,
  evidence: Record<string, unknown>,
  nextPollAt: Date | null = null,
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const because = { actor: 'worker:poll', reason, evidence };
    return (await moveBatch(tx, 'except', key, because, { set: { next_poll_at: nextPollAt } })) !== undefined;
  });
}

/** A result from a later poll: the sealed bytes, and their hash. */
export type LaterResult = { sealed: Buffer; sha256: string };

/**
 * Move `recover`: accepts a result that did not fit before and now does. Its bytes replace the first, whose hash stays
 * in the audit trail.
 * @throws PipelineError MOVE_REFUSED when the outcomes do not match the batch's rows exactly
 */
export async function recoverException(
  ledger: Ledger,
  key: BatchKey,
  fileNo: number,
  found: { result: LaterResult; rows: readonly ReconciledRow[]; evidence: Record<string, unknown> },
  nextRecheckAt: Date | null,
): Promise<boolean> {
  const { sealed, sha256 } = found.result;
  return transact(ledger, async (tx) => {
    const row = await moveBatch(
      tx,
      'recover',
      key,
      {
        actor: 'worker:poll',
        reason: 'fetched again, every row matched, and counts and cents agree',
        evidence: { ...found.evidence, sha256 },
      },
      {
        set: { result_at: tx.at, result_sha256: sha256, next_poll_at: null, next_recheck_at: nextRecheckAt },
        also: keeping(sealed),
      },
    );
    if (!row) return false;
    await writeOutcomes(tx, { fileNo, batch: row, outcomes: found.rows });
    return true;
  });
}

/** Keeps a result that changed and still does not fit; the operator compares the latest one. This is no move. */
export async function keepException(
  ledger: Ledger,
  key: BatchKey,
  result: LaterResult,
  reason: string,
  evidence: Record<string, unknown>,
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      `WITH moved AS (
         UPDATE batch SET result_at = $3, result_sha256 = $4, reason = $5
         WHERE file_id = $1 AND batch_no = $2 AND state = 'exception' RETURNING *)
       ${keepSealed('$6')}`,
      [key.fileId, key.batchNo, tx.at, result.sha256, reason, result.sealed],
    );
    if (rowCount === 0) return false;
    tx.audit({
      ...key,
      actor: 'worker:poll',
      move: 'misfit-again',
      reason,
      evidence: { ...evidence, sha256: result.sha256 },
    });
    return true;
  });
}
