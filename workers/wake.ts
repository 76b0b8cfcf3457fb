import { randomBytes } from 'node:crypto';
import type { App } from '../src/app.ts';
import type { BatchKey } from '../src/ledger/moves/move.ts';
import { findSendable } from '../src/ledger/queries/due-work.ts';
import type { BatchRow } from '../src/ledger/records.ts';

/** Asks for the next batch of an account, if one may be sent. */
export async function wakeAccount(app: App, account: string): Promise<void> {
  for (const key of await findSendable(app.ledger, account)) await askToSubmit(app, key);
}

/**
 * Asks for one batch. The job's id is new each time: a job of the same name that is just ending would swallow it, and
 * the account would sleep until the sweep. One job too many does no harm, the ledger lets one through.
 */
export async function askToSubmit(app: App, key: BatchKey, delayMs = 0): Promise<void> {
  const id = `submit-${key.fileId}-${key.batchNo}-${randomBytes(4).toString('hex')}`;
  await app.queue.add('submit', id, key, { delayMs });
}

/** Asks for the result of a submitted batch at the time that the ledger has noted for it. */
export async function askToPoll(app: App, batch: BatchRow): Promise<void> {
  const delayMs = Math.max(0, (batch.next_poll_at?.getTime() ?? 0) - app.clock.now().getTime());
  await app.queue.add('poll', pollId(batch), { fileId: batch.file_id, batchNo: batch.batch_no }, { delayMs });
}

/** Each question has its own id; the sweep makes the same one, so that the same question is not asked twice at a time. */
export function pollId(batch: Pick<BatchRow, 'file_id' | 'batch_no' | 'polls'>): string {
  return `poll-${batch.file_id}-${batch.batch_no}-${batch.polls}`;
}
