import { mustBeOpen } from '../admission/must-be-open.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Transaction } from '../engine/transaction.ts';
import { type BatchKey, type Because, moveBatch } from '../engine/move.ts';
import { nextAttempt } from '../batch/next-attempt.ts';
import { mustBeResolved, readWaited, resolveAttempts } from './resolve-attempts.ts';

/**
 * Move `absolve`: a person confirms that the service never took the batch, and it may be sent once more. The next attempt
 * gets a number that no call has had; the earlier ones stay beside it with their resolution.
 * @param waitMs how long ago the last call must have begun; a service that is slow may still book it before that
 * @throws PipelineError MOVE_REFUSED when the batch is not in doubt; RESOLUTION_REFUSED when it is too early, or when a
 *   report of the service shows a row of it
 */
export async function absolveBatch(tx: Transaction, key: BatchKey, waitMs: number, because: Because): Promise<void> {
  await mustBeOpen(tx);
  const attempt = await nextAttempt(tx, key);
  const waitedMs = await readWaited(tx, key);
  const row = await moveBatch(tx, 'absolve', key, because, { set: { attempt, not_before: tx.at, releases: 0 } });
  await mustBeResolved(tx, row, key, 'declare as not received');
  // A call that began in the future, because a clock was set back since, is as good as one that has just begun.
  if (waitedMs < waitMs) {
    const from = new Date(tx.at.getTime() + waitMs - Math.max(0, waitedMs));
    throw refusal(key, `the service may still book it; that can be said from ${from.toISOString()} on`);
  }
  await refuseFound(tx, key);
  await resolveAttempts(tx, key, 'not_received', because);
}

/** Only what was read for the attempts in doubt counts; an earlier one has its resolution already. */
async function refuseFound(tx: Transaction, key: BatchKey): Promise<void> {
  const { rows } = await tx.client.query<{ line: number; name: string }>(
    `SELECT f.line, r.name FROM row_finding f JOIN journal_report r USING (report_no)
     WHERE r.file_id = $1 AND r.batch_no = $2 AND f.finding = 'found'
       AND EXISTS (SELECT 1 FROM attempt a WHERE a.file_id = r.file_id AND a.batch_no = r.batch_no
                     AND a.attempt = r.attempt AND a.resolution IS NULL)
     ORDER BY f.line LIMIT 1`,
    [key.fileId, key.batchNo],
  );
  const [found] = rows;
  if (found) throw refusal(key, `the report "${found.name}" shows that the row of line ${found.line} was booked`);
}

function refusal(key: BatchKey, why: string): PipelineError {
  const action = `declare batch ${key.fileId}/${key.batchNo} as not received`;
  return new PipelineError('RESOLUTION_REFUSED', action, why);
}
