import type { BatchState } from '../../schemas/lifecycle.ts';
import type { App } from '../app.ts';
import { readBatches } from '../ledger/file/read-file.ts';
import type { BatchRow, FileRow } from '../ledger/engine/records.ts';
import { askForIntake, askToDeliver, askToPoll, askToSubmit } from '../../workers/wake.ts';

/** A job that was asked for, in words such as "submit of batch 2". */
export type Asked = string;

/**
 * Asks for the jobs of a file, or of one batch of it, once more. Harmless at any time: a job only says "have a look", and
 * the ledger lets through what is due.
 * @returns what was asked for; nothing when a person or the service is waited for
 */
export async function requeueFile(app: App, file: FileRow, only?: BatchRow): Promise<Asked[]> {
  if (file.state === 'claimed') {
    await askForIntake(app, [file.file_id], file.site);
    return ['intake'];
  }
  const batches = only ? [only] : await readBatches(app.ledger, file.file_id);
  const asked: Asked[] = [];
  for (const batch of withoutLaterOnes(batches)) {
    const job = JOBS[batch.state];
    if (job === undefined) continue;
    if (job === 'submit') await askToSubmit(app, { fileId: batch.file_id, batchNo: batch.batch_no });
    else await askToPoll(app, batch);
    asked.push(`${job} of batch ${batch.batch_no}`);
  }
  if (!only) {
    await askToDeliver(app, file.file_id);
    asked.push('deliver');
  }
  return asked;
}

/** Which station looks at a batch in this state. The others wait for a person, for a worker that has them, or for nothing. */
const JOBS: Partial<Record<BatchState, 'submit' | 'poll'>> = { ready: 'submit', submitted: 'poll', result_in: 'poll' };

/** Batches of one account go one after the other, so of those that wait only the first is asked for. */
function withoutLaterOnes(batches: readonly BatchRow[]): BatchRow[] {
  const first = batches.find((batch) => batch.state === 'ready');
  return batches.filter((batch) => batch.state !== 'ready' || batch === first);
}
