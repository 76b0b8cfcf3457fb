import { columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { readResultFile } from '../../src/csv/read/read-result-file.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import type { PackedOutcomes } from '../../src/rows/packed-outcomes.ts';
import type { OutcomeTotals, ReconciledRow, RowResult, SentRow } from '../../src/rows/rows.ts';
import type { SentText } from '../../src/rows/sent-text.ts';
import type { BatchRow } from '../../src/ledger/engine/records.ts';
import { matchPlain } from '../../src/reconcile/match-plain.ts';
import { matchResults } from '../../src/reconcile/match-results.ts';
import { reconcileRows, sumTotals } from '../../src/reconcile/read-outcome.ts';

/** What a result file says about the rows sent: an outcome for each, or why it cannot be theirs. */
export type Judgement =
  | { kind: 'fits'; rows: ReconciledRow[]; totals: OutcomeTotals; reordered: boolean }
  | { kind: 'misfit'; reason: string; evidence: Record<string, unknown> };

/** A result that fits, with packed outcomes. */
export type PlainJudgement = { kind: 'fits'; rows: PackedOutcomes; totals: OutcomeTotals; reordered: false };

/**
 * Checks a result file against the rows of its batch. It fits only when every row is certain and rows and cents match
 * the batch. There is nothing in between: half a result would pass for a whole one.
 */
export function judgeResult(
  batch: Pick<BatchRow, 'operation' | 'rows' | 'cents'>,
  layout: LayoutName,
  sent: readonly SentRow[],
  bytes: Buffer,
): Judgement {
  const results = readResult(bytes, layout, sent.length);
  if (typeof results === 'string') return { kind: 'misfit', reason: results, evidence: {} };
  const match = matchResults(layout, sent, results);
  if (match.kind === 'mismatch')
    return { kind: 'misfit', reason: match.reason, evidence: { differences: match.differences } };
  const { rows, totals } = reconcileRows(batch.operation, match.pairs);
  const sum = sumTotals(totals);
  if (sum.rows !== batch.rows || sum.cents !== batch.cents)
    return { kind: 'misfit', reason: 'counts and cents do not add up', evidence: { totals } };
  return { kind: 'fits', rows, totals, reordered: match.reordered };
}

/**
 * Checks the bytes of a result that is plain and fits, as most do.
 * @returns undefined for any other, which is left to `judgeResult`
 */
export function judgePlain(
  batch: Pick<BatchRow, 'operation' | 'rows' | 'cents'>,
  layout: LayoutName,
  sent: SentText,
  bytes: Buffer,
): PlainJudgement | undefined {
  const match = matchPlain({ layout, operation: batch.operation, sent }, bytes);
  if (!match) return undefined;
  const sum = sumTotals(match.totals);
  if (sum.rows !== batch.rows || sum.cents !== batch.cents) return undefined;
  return { kind: 'fits', rows: match.outcomes, totals: match.totals, reordered: false };
}

/** Reads a few rows more than were sent, so that extra ones show; not all, because a hostile file may be endless. */
export function readResult(bytes: Buffer, layout: LayoutName, sentRows: number): RowResult[] | string {
  try {
    return readResultFile(bytes, { maxRows: sentRows + 10, columnCount: columnsOf(layout).length });
  } catch (error) {
    if (error instanceof PipelineError) return error.message;
    return 'the result file cannot be read';
  }
}
