import { planResubmission, type ResubmissionPlan, type Selection } from '../../workers/resubmit.ts';
import type { App } from '../app.ts';
import { PipelineError } from '../kernel/errors.ts';
import { readResubmissions, type ResubmissionRow } from '../ledger/queries/resubmissions.ts';
import type { FileRow } from '../ledger/records.ts';
import { rowsOf } from './why/sentence.ts';

/**
 * The rows of a finished file that may go out again, unless a file of an earlier resubmission is still on its way: two
 * at once could hold the same row.
 * @throws PipelineError MOVE_REFUSED, also when there is no such row
 */
export async function chooseRows(app: App, file: FileRow, only?: Selection): Promise<ResubmissionPlan> {
  const waiting = await findWaiting(app, file);
  if (waiting) throw refuseWaiting(file, waiting);
  const plan = await planResubmission(app, file, only);
  if (plan.lines.length === 0) throw nothingLeft(file, plan);
  return plan;
}

/**
 * The file of an earlier resubmission that never came back through its folder.
 * @throws PipelineError MOVE_REFUSED when none is missing
 */
export async function findMissing(app: App, file: FileRow): Promise<ResubmissionRow> {
  const waiting = await findWaiting(app, file);
  if (waiting) return waiting;
  const next = `See "paydrop why ${file.file_id}".`;
  throw new PipelineError('MOVE_REFUSED', `drop a file of "${file.file_id}" again`, 'none is missing', { next });
}

async function findWaiting({ ledger }: App, file: FileRow): Promise<ResubmissionRow | undefined> {
  refuseUnfinished(file);
  return (await readResubmissions(ledger, file.file_id)).find((row) => row.new_file_id === null);
}

function refuseUnfinished({ file_id: fileId, state }: FileRow): void {
  if (state === 'completed' || state === 'partly_cancelled' || state === 'cancelled') return;
  const next = state === 'rejected' ? 'Correct it and drop it again.' : 'Wait until it is completed.';
  throw new PipelineError('MOVE_REFUSED', `resubmit rows of file "${fileId}"`, `it is ${state}`, { next });
}

function refuseWaiting({ file_id: fileId, folder }: FileRow, { name, rows }: ResubmissionRow): PipelineError {
  const reason = `"${name}" with ${rowsOf(rows)} of it has not come back through ${folder}`;
  const next = 'Let paydrop run; if the file is not in that folder any more, use --drop-again.';
  return new PipelineError('MOVE_REFUSED', `resubmit rows of file "${fileId}"`, reason, { next });
}

function nothingLeft({ file_id: fileId }: FileRow, { barred }: ResubmissionPlan): PipelineError {
  const reason = barred > 0 ? 'every such row was resubmitted before, or is barred' : 'it has no such row';
  return new PipelineError('MOVE_REFUSED', `resubmit rows of file "${fileId}"`, reason, {
    next: `See "paydrop why ${fileId}".`,
  });
}
