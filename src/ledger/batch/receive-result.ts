import type { FolderOperation } from '../../../schemas/operations.ts';
import { crashPoint } from '../../kernel/crash-point.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { copyOutcomes, type RowOutcomes } from '../row/copy-rows.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';
import { storableJson } from '../engine/storable-text.ts';
import { transact, type Transaction } from '../engine/transaction.ts';
import { type AuditReason, type BatchKey, noteBatchMove } from '../engine/move.ts';

/** A result of a batch, and what it was judged to be. */
export type JudgedResult = {
  key: BatchKey;
  fileNo: number;
  /** Hash of the bytes that were judged. */
  sha256: string;
  /**
   * Set when it has just come: it is kept sealed. `batchId` was asked for, and `rows` were sent. It is late if the batch was an
   * exception; then it takes the place of an earlier one, together with its verdict and never without.
   */
  arrived?: { batchId: string; sealed: Buffer; rows: number; isLate: boolean } | undefined;
  /** Left out when it could not be judged. */
  verdict?: Verdict | undefined;
};

export type Verdict = { evidence: Record<string, unknown> } & (
  | {
      /** Its rows are those that were sent. `nextAt`: when it is fetched again, because outcomes may change late. */
      move: 'reconcile';
      outcomes: RowOutcomes;
      nextAt: Date | null;
    }
  | {
      /** They are not, and an operator has to decide. `nextAt`: when it is fetched again, in case it becomes right. */
      move: 'except';
      reason: string;
      nextAt: Date | null;
    }
);

/** What a verdict on a late result comes to. The second is no move: the state stays, and the operator compares the latest. */
const LATE_MOVES = { reconcile: 'recover', except: 'misfit-again' } as const;

type ResultMove = 'receive' | 'reconcile' | 'except' | (typeof LATE_MOVES)[keyof typeof LATE_MOVES];

/** Moves that were made, by name of the batch (`nameOf`). */
type MadeMoves = ReadonlyMap<string, readonly ResultMove[]>;

/**
 * Moves `receive`, `reconcile`, `except` and `recover` of batches, one or many, in one transaction: keeps each result as the
 * service returned it, sealed, and writes one outcome per row, once, together with the new state. A late result that does
 * not fit either is kept without a move. A batch in another state, or with another batch id or result than the judged one,
 * stays as it is. So repeating it after a crash changes nothing.
 * @returns the moves that were made
 * @throws PipelineError MOVE_REFUSED when outcomes do not match the rows of a batch exactly: a row without one would count
 *   as never sent, and be sent again. Then nothing of any is written
 */
export async function commitResults(ledger: Ledger, results: readonly JudgedResult[]): Promise<MadeMoves> {
  return transact(ledger, async (tx) => {
    const sealed = results.flatMap(({ arrived }) => arrived?.sealed ?? []);
    const { rows } = await tx.client.query<MovedResult>(
      'SELECT * FROM commit_results($1, $2, $3) ORDER BY place, move = $4 DESC',
      [tx.at, storableJson(listOf(results)), Buffer.concat(sealed), 'receive'],
    );
    const made = new Map<string, ResultMove[]>();
    for (const { place, move, account } of rows) {
      const result = results[place - 1]!;
      const because = becauseOf(result, move);
      if (move === 'misfit-again') tx.audit({ ...because, ...result.key, move });
      else noteBatchMove(tx, move, result.key, account, because);
      made.set(nameOf(result.key), [...(made.get(nameOf(result.key)) ?? []), move]);
    }
    const [first, ...others] = rows.flatMap(({ place, move, ...row }) => {
      const { key, fileNo, verdict } = results[place - 1]!;
      if ((move !== 'reconcile' && move !== 'recover') || verdict?.move !== 'reconcile') return [];
      const batch = {
        ...row,
        file_id: key.fileId,
        batch_no: key.batchNo,
        rows: row.batch_rows,
        cents: row.batch_cents,
      };
      return [{ fileNo, batch, outcomes: verdict.outcomes }];
    });
    if (first) await writeOutcomes(tx, first, ...others);
    return made;
  });
}

type MovedResult = {
  place: number;
  move: ResultMove;
  account: string;
  operation: FolderOperation;
  batch_rows: number;
  batch_cents: number;
};

/** Names a batch, for maps. */
export function nameOf({ fileId, batchNo }: BatchKey): string {
  return `${fileId}/${batchNo}`;
}

const HERE = 'the result file is here';
const MATCHED = 'every row matched, and counts and cents agree';

/** Returns the list that `commit_results` takes; see `read_judged_results` in schemas/ledger/result.sql. */
function listOf(results: readonly JudgedResult[]): Record<string, unknown>[] {
  let from = 1;
  return results.map(({ key, sha256, arrived, verdict }) => {
    const kept = arrived && {
      batchId: arrived.batchId,
      received: arrived.isLate ? undefined : HERE,
      sealedFrom: from,
      sealedBytes: arrived.sealed.length,
    };
    from += arrived?.sealed.length ?? 0;
    const judged = verdict && {
      move: arrived?.isLate ? LATE_MOVES[verdict.move] : verdict.move,
      reason: reasonOf(verdict, arrived?.isLate),
      nextAt: verdict.nextAt,
    };
    return { ...key, sha256, ...kept, ...judged };
  });
}

function reasonOf(verdict: Verdict, isLate = false): string {
  if (verdict.move === 'except') return verdict.reason;
  return isLate ? `fetched again, ${MATCHED}` : MATCHED;
}

function becauseOf({ sha256, arrived, verdict }: JudgedResult, move: ResultMove): AuditReason {
  const actor = 'worker:poll';
  if (move === 'receive') return { actor, reason: HERE, evidence: { sha256, rows: arrived!.rows } };
  const evidence = arrived?.isLate ? { ...verdict!.evidence, sha256 } : verdict!.evidence;
  return { actor, reason: reasonOf(verdict!, arrived?.isLate), evidence };
}

type OutcomeSum = { outcome: string; rows: number; cents: number };

type EndedBatch = {
  fileNo: number;
  batch: Pick<BatchRow, 'file_id' | 'batch_no' | 'account' | 'operation' | 'rows' | 'cents'>;
  outcomes: RowOutcomes;
};

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
