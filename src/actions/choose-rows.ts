import { saidState } from '../../schemas/lifecycle.ts';
import { type AgainPlan, planAgain, planResubmission, type ResubmissionPlan, type Selection } from './resubmit.ts';
import type { App } from '../app.ts';
import { counted } from '../kernel/counted.ts';
import { PipelineError } from '../kernel/errors.ts';
import { readResubmissions, type ResubmissionRow } from '../ledger/row/resubmissions.ts';
import type { FileRow } from '../ledger/engine/records.ts';
import { sayUnproven, UNPROVEN_NEXT } from './say-kept-back.ts';

/**
 * Returns the rows of a finished file that may be sent again. Refuses while a file of an earlier resubmission is in
 * progress: two at once could hold the same row. The plan has no lines if only outcomes need correction.
 * @throws PipelineError MOVE_REFUSED, also when there is no such row
 */
export async function chooseRows(app: App, file: FileRow, only?: Selection): Promise<ResubmissionPlan> {
  const waiting = await findWaiting(app, file);
  if (waiting) throw refuseWaiting(file, waiting);
  const plan = await planResubmission(app, file, only);
  if (plan.lines.length === 0 && plan.shown.length === 0) throw nothingLeft(file, plan);
  return plan;
}

/**
 * Returns the file of an earlier resubmission that never came back, and whether its rows may still be sent.
 * @throws PipelineError MOVE_REFUSED when none is missing, and when the service does not show that they may
 */
export async function findMissing(app: App, file: FileRow): Promise<AgainPlan> {
  const waiting = await findWaiting(app, file);
  const action = `drop a file of "${file.file_id}" again`;
  const next = `See "paydrop why ${file.file_id}".`;
  if (!waiting) throw new PipelineError('MOVE_REFUSED', action, 'none is missing', { next });
  const plan = await planAgain(app, file, waiting);
  if (plan.shown.length > 0 || plan.unproven.length === 0) return plan;
  throw new PipelineError('MOVE_REFUSED', action, plan.unproven.map(sayUnproven).join('; '), { next: UNPROVEN_NEXT });
}

async function findWaiting({ ledger }: App, file: FileRow): Promise<ResubmissionRow | undefined> {
  refuseUnfinished(file);
  return (await readResubmissions(ledger, file.file_id)).find(isWaiting);
}

/** Returns whether a resubmission is still expected. One with a row that was charged after all never comes. */
function isWaiting(row: ResubmissionRow): boolean {
  return row.new_file_id === null && row.charged === 0;
}

function refuseUnfinished({ file_id: fileId, state }: FileRow): void {
  if (state === 'completed' || state === 'partly_cancelled' || state === 'cancelled') return;
  const next = state === 'rejected' ? 'Correct it and drop it again.' : 'Wait until it is completed.';
  throw new PipelineError('MOVE_REFUSED', `resubmit rows of file "${fileId}"`, `its state is ${saidState(state)}`, {
    next,
  });
}

function refuseWaiting({ file_id: fileId, folder }: FileRow, { name, rows }: ResubmissionRow): PipelineError {
  const reason = `"${name}" with ${counted(rows, 'row')} of it has not been taken from ${folder}`;
  const next = 'Let paydrop run. If the file is no longer in that folder, use --drop-again.';
  return new PipelineError('MOVE_REFUSED', `resubmit rows of file "${fileId}"`, reason, { next });
}

function nothingLeft({ file_id: fileId }: FileRow, { barred, unproven }: ResubmissionPlan): PipelineError {
  const action = `resubmit rows of file "${fileId}"`;
  if (unproven.length > 0)
    return new PipelineError('MOVE_REFUSED', action, unproven.map(sayUnproven).join('; '), { next: UNPROVEN_NEXT });
  const reason = barred > 0 ? 'every such row was already resubmitted, or is barred' : 'it has no such rows';
  return new PipelineError('MOVE_REFUSED', action, reason, { next: `See "paydrop why ${fileId}".` });
}
