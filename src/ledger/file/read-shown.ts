import type { BatchState, Outcome } from '../../../schemas/lifecycle.ts';
import { NOT_PAID } from '../../../schemas/shown.ts';
import { IS_OPEN } from '../batch/conditions.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** What decides how a file is shown, beside its state: its open batches, and outcomes that were not simply paid. */
export type ShownFacts = {
  open: BatchState[];
  outcomes: Outcome[];
};

/** Outcomes that change how a finished file is shown. */
const TELLING: readonly Outcome[] = [...NOT_PAID, 'unknown'];

/** Reads these facts of files, keyed by file id. Looks up one file after another, so it is meant for a page of them. */
export async function readShownFacts(ledger: Ledger, fileIds: readonly string[]): Promise<Map<string, ShownFacts>> {
  if (fileIds.length === 0) return new Map();
  const { rows } = await ledger.pool.query<ShownFacts & { fileId: string }>(
    `SELECT f.file_id AS "fileId", b.open, o.outcomes
     FROM unnest($1::text[]) AS asked (file_id)
       CROSS JOIN LATERAL (SELECT file_id, file_no, state FROM file WHERE file.file_id = asked.file_id OFFSET 0) f
       CROSS JOIN LATERAL (
         SELECT coalesce(array_agg(DISTINCT state), '{}') AS open
         FROM batch WHERE batch.file_id = f.file_id AND ${IS_OPEN} OFFSET 0) b
       CROSS JOIN LATERAL (
         SELECT coalesce(array_agg(outcome), '{}') AS outcomes FROM (
           SELECT outcome FROM outcome_movement m
           WHERE m.file_no = f.file_no AND f.state IN ('completed', 'partly_cancelled') AND outcome = ANY ($2)
           GROUP BY outcome HAVING sum(rows) > 0) ended OFFSET 0) o`,
    [fileIds, TELLING],
  );
  return new Map(rows.map(({ fileId, ...facts }) => [fileId, facts]));
}
