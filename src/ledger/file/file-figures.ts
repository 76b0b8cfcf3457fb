import type { BatchState } from '../../../schemas/lifecycle.ts';
import type { OutcomeTotals, Totals } from '../../rows/rows.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow } from '../engine/records.ts';

/** Rows and money of a file, from sums that the ledger keeps; no row is counted again. Money is integer cents. */
export type FileFigures = {
  /** Number of batches in each state, the number of the first of them, and what they hold. */
  states: Partial<Record<BatchState, Totals & { batches: number; firstNo: number }>>;
  /** What the service first said about sent rows, and what is known about them now. */
  first: OutcomeTotals;
  now: OutcomeTotals;
  /** Rows withheld for their faults, and the money of those with a readable amount. */
  withheld: Totals;
};

export async function readFileFigures(
  ledger: Ledger,
  file: Pick<FileRow, 'file_id' | 'file_no' | 'invalid_rows' | 'withheld_cents'>,
): Promise<FileFigures> {
  const { file_id: fileId, file_no: fileNo, invalid_rows: invalid } = file;
  const [states, first, now] = await Promise.all([
    ledger.pool.query<{ state: BatchState; batches: number; firstNo: number } & Totals>(
      `SELECT state, count(*) AS batches, min(batch_no) AS "firstNo", sum(rows)::bigint AS rows, sum(cents)::bigint AS cents
       FROM batch WHERE file_id = $1 GROUP BY state`,
      [fileId],
    ),
    readOutcomeSums(ledger, fileNo, 'batch_outcome'),
    readOutcomeSums(ledger, fileNo, 'outcome_movement'),
  ]);
  return {
    states: Object.fromEntries(states.rows.map(({ state, ...totals }) => [state, totals])),
    first,
    now,
    withheld: { rows: invalid ?? 0, cents: file.withheld_cents },
  };
}

async function readOutcomeSums(
  ledger: Ledger,
  fileNo: number,
  source: 'batch_outcome' | 'outcome_movement',
): Promise<OutcomeTotals> {
  const { rows } = await ledger.pool.query<{ outcome: keyof OutcomeTotals } & Totals>(
    `SELECT outcome, sum(rows)::bigint AS rows, sum(cents)::bigint AS cents FROM ${source}
     WHERE file_no = $1 GROUP BY outcome HAVING sum(rows) <> 0`,
    [fileNo],
  );
  return Object.fromEntries(rows.map(({ outcome, ...totals }) => [outcome, totals]));
}
