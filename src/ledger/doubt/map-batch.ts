import type { ReconciledRow } from '../../rows/rows.ts';
import type { BatchRow } from '../engine/records.ts';
import type { Transaction } from '../engine/transaction.ts';
import { type BatchKey, type Because, moveBatch } from '../engine/move.ts';
import { writeOutcomes } from '../batch/receive-result.ts';
import { voidProposals } from '../proposal/propose.ts';
import { mustBeResolved } from './resolve-attempts.ts';
import { readFileNo } from '../batch/settle-batch.ts';

/**
 * Move `map`: ends a batch whose result does not fit with one outcome per row, for which an operator answers. The
 * outcomes come from a later, good result, or none is certain.
 * @throws PipelineError MOVE_REFUSED when the batch is no exception, or the outcomes do not match its rows exactly
 */
export async function mapBatch(
  tx: Transaction,
  key: BatchKey,
  rows: readonly ReconciledRow[],
  because: Because,
): Promise<BatchRow> {
  const set = { result_at: tx.at, next_poll_at: null };
  const batch = await mustBeResolved(tx, await moveBatch(tx, 'map', key, because, { set }), key, 'map');
  await writeOutcomes(tx, await readFileNo(tx, key), batch, rows);
  await voidProposals(tx, key, because);
  return batch;
}
