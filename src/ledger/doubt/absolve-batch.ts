import { mustBeOpen } from '../admission/must-be-open.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Transaction } from '../engine/transaction.ts';
import { type BatchKey, type Because, moveBatch } from '../engine/move.ts';
import { nextAttempt } from '../batch/next-attempt.ts';
import { mustBeResolved, readWaited, resolveAttempts } from './resolve-attempts.ts';

/**
 * Move `absolve`: an operator confirms that the service never received the batch, so it may be sent once more. The next
 * attempt gets a number that no call has used; earlier attempts keep their resolution.
 * @param waitMs how long ago the last call must have begun; until then, a slow service may still book it
 * @throws PipelineError MOVE_REFUSED when the batch is not in doubt; RESOLUTION_REFUSED when it is too early, or when a
 *   transaction report shows one of its rows
 */
export async function absolveBatch(tx: Transaction, key: BatchKey, waitMs: number, because: Because): Promise<void> {
  await mustBeOpen(tx);
  const attempt = await nextAttempt(tx, key);
  const waitedMs = await readWaited(tx, key);
  const row = await moveBatch(tx, 'absolve', key, because, { set: { attempt, not_before: tx.at, releases: 0 } });
  await mustBeResolved(tx, row, key, 'declare as not received');
  // A call in the future, from a clock that was set back since, counts as just begun.
  if (waitedMs < waitMs) {
    const from = new Date(tx.at.getTime() + waitMs - Math.max(0, waitedMs));
    throw refusal(key, `the service may still book it; that can be said from ${from.toISOString()} on`);
  }
  await refuseFound(tx, key);
  await resolveAttempts(tx, key, 'not_received', because);
}

/** Throws if a report read for the unresolved attempts shows a row. Earlier attempts are already resolved. */
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
