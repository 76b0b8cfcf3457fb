import { PipelineError } from '../../kernel/errors.ts';
import { storableText } from '../engine/storable-text.ts';
import type { AuditReason } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { RunRow } from '../engine/records.ts';
import { transact } from '../engine/transaction.ts';
import { IS_OPEN_RUN } from './read-runs.ts';

/**
 * Records that a user took note of a missed or failed run. Its state stays, so it is not a move. The run leaves the
 * lists of open work and the alarms, and a later try of it is open again.
 * @throws PipelineError MOVE_REFUSED when the run is no longer as found
 */
export async function acknowledgeRun(ledger: Ledger, found: RunRow, because: AuditReason): Promise<void> {
  const { schedule, business_date: day, state, tries } = found;
  await transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      `UPDATE schedule_run SET acknowledged_at = $5, acknowledged_by = $6, acknowledge_reason = $7
       WHERE schedule = $1 AND business_date = $2 AND state = $3 AND tries = $4 AND ${IS_OPEN_RUN}`,
      [schedule, day, state, tries, tx.at, because.actor, storableText(because.reason)],
    );
    if (!rowCount)
      throw new PipelineError('MOVE_REFUSED', `acknowledge the run of "${schedule}" for ${day}`, 'it has changed', {
        next: 'See "paydrop schedule list --all".',
      });
    tx.audit({ ...because, move: 'acknowledge-run', evidence: { ...because.evidence, schedule, day, state, tries } });
  });
}
