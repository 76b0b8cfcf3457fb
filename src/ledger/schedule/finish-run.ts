import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import type { RunRow, RunSummary } from '../engine/records.ts';
import type { AuditReason } from '../engine/move.ts';

/**
 * Makes the move `finish-run` or `fail-run`: ends a run with its summary.
 * @returns false when another worker holds it by now; then nothing was written
 */
export async function finishRun(
  ledger: Ledger,
  run: RunRow,
  state: 'done' | 'failed',
  because: AuditReason,
  summary: Omit<RunSummary, 'says'> = {},
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      `UPDATE schedule_run SET state = $4, finished_at = $5, token = NULL, summary = $6
       WHERE schedule = $1 AND business_date = $2 AND state = 'running' AND token = $3`,
      [run.schedule, run.business_date, run.token, state, tx.at, { ...summary, says: because.reason }],
    );
    if (!rowCount) return false;
    tx.audit({
      ...because,
      move: state === 'done' ? 'finish-run' : 'fail-run',
      from: 'running',
      to: state,
      evidence: { ...because.evidence, ...summary, schedule: run.schedule, day: run.business_date },
    });
    return true;
  });
}
