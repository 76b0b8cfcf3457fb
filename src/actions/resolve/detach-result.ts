import { detachResult } from '../../ledger/doubt/resolution-actions.ts';
import { transact } from '../../ledger/engine/transaction.ts';
import { type CarriedOut, mustBeIn, tryOut } from './carry-out.ts';
import type { ResolutionContext } from './resolution-context.ts';

/**
 * Detaches a result that belongs to another batch, so whether this batch was taken is unknown again. This only adds
 * doubt, so one person is enough.
 * @throws PipelineError MOVE_REFUSED
 */
export async function detachBatchResult(context: ResolutionContext, reason: string): Promise<CarriedOut> {
  const { ledger, file, batch, actor } = context;
  mustBeIn(context, 'detach the result of', 'exception');
  const key = { fileId: file.file_id, batchNo: batch.batch_no };
  return transact(ledger, async (tx) => {
    const disown = (within: typeof tx) => detachResult(within, key, { actor, reason });
    if (!context.dryRun) {
      await disown(tx);
      return { result: 'done' };
    }
    await tryOut(tx, async (trial) => {
      await disown(trial);
    });
    return { result: 'dry-run' };
  });
}
