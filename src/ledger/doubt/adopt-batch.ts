import { PipelineError } from '../../kernel/errors.ts';
import { type Transaction, violates } from '../engine/transaction.ts';
import { type BatchKey, type Because, moveBatch } from '../engine/move.ts';
import { mustBeResolved, readLastCall, resolveAttempts } from './resolve-attempts.ts';

/**
 * Move `adopt`: assigns the batch id under which the service has the batch. The caller has verified that every row of
 * the result under this id was sent. The result is fetched at once.
 * @throws PipelineError MOVE_REFUSED when the batch is not in doubt, RESOLUTION_REFUSED when another batch has the id
 */
export async function adoptBatch(tx: Transaction, key: BatchKey, batchId: string, because: Because): Promise<void> {
  const set = {
    batch_id: batchId,
    submitted_at: await readLastCall(tx, key),
    polls: 0,
    next_poll_at: tx.at,
    releases: 0,
  };
  const row = await moveBatch(tx, 'adopt', key, because, { set }).catch((error: unknown) => {
    if (!violates(error, 'one_batch_per_batch_id')) throw error;
    throw new PipelineError('RESOLUTION_REFUSED', `adopt batch id "${batchId}"`, 'another batch of the account has it');
  });
  await mustBeResolved(tx, row, key, 'adopt a batch id for');
  await resolveAttempts(tx, key, 'adopted', because);
}
