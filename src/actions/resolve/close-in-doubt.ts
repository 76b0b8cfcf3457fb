import { type CarriedOut, carryOut, mustBeIn } from './carry-out.ts';
import type { ResolutionContext } from './resolution-context.ts';

/**
 * Ends a batch without an answer. Its file is completed. Every row that no report of the service explained is delivered
 * as UNKNOWN, for the suspense account, and never enters the rejects or retry file.
 * @throws PipelineError MOVE_REFUSED
 */
export async function closeInDoubt(context: ResolutionContext, reason: string): Promise<CarriedOut> {
  mustBeIn(context, 'close in doubt', 'unknown', 'exception');
  const { resolveWaitMs: waitMs } = context.account;
  return carryOut(context, 'close-in-doubt', { reason, evidence: { waitMs } });
}
