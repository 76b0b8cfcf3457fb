import type { BatchState } from '../../schemas/lifecycle.ts';
import type { App } from '../app.ts';
import { readBatches } from '../ledger/file/read-file.ts';
import type { BatchRow, FileRow } from '../ledger/engine/records.ts';
import { enqueueIntake, enqueueDelivery, enqueuePoll, enqueueSubmit } from '../../workers/enqueue.ts';

/** An added job in words, such as "submit of batch 2". */
export type AddedJob = string;

/**
 * Adds the jobs of a file, or of one of its batches, again. Harmless at any time: a job only tells a stage to look, and
 * the ledger lets through what is due.
 * @returns the jobs added; none while a person or the service must act first
 */
export async function requeueFile(app: App, file: FileRow, only?: BatchRow): Promise<AddedJob[]> {
  if (file.state === 'claimed') {
    await enqueueIntake(app, [file.file_id], file.site);
    return ['intake'];
  }
  const batches = only ? [only] : await readBatches(app.ledger, file.file_id);
  const asked: AddedJob[] = [];
  for (const batch of withoutLaterOnes(batches)) {
    const job = JOBS[batch.state];
    if (job === undefined) continue;
    if (job === 'submit') await enqueueSubmit(app, { fileId: batch.file_id, batchNo: batch.batch_no });
    else await enqueuePoll(app, batch);
    asked.push(`${job} of batch ${batch.batch_no}`);
  }
  if (!only) {
    await enqueueDelivery(app, file.file_id);
    asked.push('deliver');
  }
  return asked;
}

/** Stage for each batch state. The other states wait for a person or a worker, or are final. */
const JOBS: Partial<Record<BatchState, 'submit' | 'poll'>> = { ready: 'submit', submitted: 'poll', result_in: 'poll' };

/** Drops all waiting batches but the first, because batches of one account go one after the other. */
function withoutLaterOnes(batches: readonly BatchRow[]): BatchRow[] {
  const first = batches.find((batch) => batch.state === 'ready');
  return batches.filter((batch) => batch.state !== 'ready' || batch === first);
}
