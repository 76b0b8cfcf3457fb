import { type CarriedOut, carryOut, mustBeIn } from './carry-out.ts';
import type { Desk } from './desk.ts';

/**
 * Ends a batch without an answer. Its file is completed. Every row that no report of the service explained is delivered
 * as UNKNOWN, for the suspense account, and never enters the rejects or retry file.
 * @throws PipelineError MOVE_REFUSED
 */
export async function closeInDoubt(desk: Desk, reason: string): Promise<CarriedOut> {
  mustBeIn(desk, 'close in doubt', 'unknown', 'exception');
  const { resolveWaitMs: waitMs } = desk.account;
  return carryOut(desk, 'close-in-doubt', { reason, evidence: { waitMs } });
}
