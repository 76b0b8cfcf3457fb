import type { PoolClient } from 'pg';
import type { BatchState, Outcome } from '../../../schemas/lifecycle.ts';
import { NOT_PAID } from '../../../schemas/shown.ts';
import type { OutcomeTotals, Totals, Withheld } from '../../rows/rows.ts';
import { IS_OPEN, IS_TAKEN } from '../batch/conditions.ts';
import { IS_PAID } from '../duplicates/read-double-charges.ts';
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

/**
 * What decides how a file is shown, beside its state: its open batches, outcomes that were not simply paid, and whether
 * rows are undecided.
 */
export type ShownFacts = {
  open: BatchState[];
  outcomes: Outcome[];
  /** Whether a payment in an unsent batch may have been charged meanwhile. */
  isPaid: boolean;
  isUndecided: boolean;
};

/** Outcomes that change how a finished file is shown. */
const TELLING: readonly Outcome[] = [...NOT_PAID, 'unknown'];

/** Reads these facts of files, keyed by file id. Looks up one file after another, so it is meant for a page of them. */
export async function readShownFacts(ledger: Ledger, fileIds: readonly string[]): Promise<Map<string, ShownFacts>> {
  if (fileIds.length === 0) return new Map();
  // Named, so that a session plans it once.
  const { rows } = await ledger.pool.query<ShownFacts & { fileId: string }>({
    name: 'shown facts',
    text: `SELECT f.file_id AS "fileId", b.open, b."isPaid", o.outcomes,
            EXISTS (SELECT FROM unknown_row u WHERE u.file_no = f.file_no AND NOT u.is_closed) AS "isUndecided"
     FROM unnest($1::text[]) AS asked (file_id)
       CROSS JOIN LATERAL (SELECT file_id, file_no, state FROM file WHERE file.file_id = asked.file_id OFFSET 0) f
       CROSS JOIN LATERAL (
         SELECT coalesce(array_agg(DISTINCT state), '{}') AS open, coalesce(bool_or(${IS_PAID}), false) AS "isPaid"
         FROM batch WHERE batch.file_id = f.file_id AND ${IS_OPEN} OFFSET 0) b
       CROSS JOIN LATERAL (
         SELECT coalesce(array_agg(outcome), '{}') AS outcomes FROM (
           SELECT outcome FROM outcome_movement m
           WHERE m.file_no = f.file_no AND f.state IN ('completed', 'partly_cancelled') AND outcome = ANY ($2)
           GROUP BY outcome HAVING sum(rows) > 0) ended OFFSET 0) o`,
    values: [fileIds, TELLING],
  });
  return new Map(rows.map(({ fileId, ...facts }) => [fileId, facts]));
}

/** Returns the rows of a file that were not sent because of their faults, with their money where readable. */
export function withheldOf(file: Pick<FileRow, 'invalid_rows' | 'withheld_cents' | 'withheld_unreadable'>): Withheld {
  return { rows: file.invalid_rows ?? 0, cents: file.withheld_cents, unreadable: file.withheld_unreadable };
}

/** Sums the withheld rows of an account's files that were accepted in a period. */
export async function sumWithheld(
  client: Pick<PoolClient, 'query'>,
  account: string,
  from: Date,
  until: Date,
): Promise<Withheld> {
  const { rows } = await client.query<Withheld>(
    `SELECT coalesce(sum(invalid_rows), 0)::bigint AS rows, coalesce(sum(withheld_cents), 0)::bigint AS cents,
            coalesce(sum(withheld_unreadable), 0)::bigint AS unreadable
     FROM file WHERE account = $1 AND accepted_at >= $2 AND accepted_at < $3 AND invalid_rows > 0`,
    [account, from, until],
  );
  return rows[0]!;
}

/** How far back such files are listed, in ms. */
const NAMED_MS = 7 * 86_400_000;

/** A file with withheld rows; newest first, at most 50, by default of 7 days. What became of the rows is unknown. */
export type WithheldFile = { fileId: string; name: string; account: string; claimedAt: Date } & Withheld;

export async function readWithheldFiles(
  { pool, clock }: Pick<Ledger, 'pool' | 'clock'>,
  since = new Date(clock.now().getTime() - NAMED_MS),
): Promise<WithheldFile[]> {
  const { rows } = await pool.query<WithheldFile>(
    `SELECT file_id AS "fileId", name, account, claimed_at AS "claimedAt", invalid_rows AS rows, withheld_cents AS cents,
            withheld_unreadable AS unreadable
     FROM file
     WHERE invalid_rows > 0 AND claimed_at >= $1 AND ${IS_TAKEN}
     ORDER BY file_no DESC LIMIT 50`,
    [since],
  );
  return rows;
}
