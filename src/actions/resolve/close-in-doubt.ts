import { type CarriedOut, carryOut, mustBeIn } from './carry-out.ts';
import type { Desk } from './desk.ts';

/**
 * Ends a batch without an answer: its file is completed, and every row that no report of the service has explained goes
 * out as UNKNOWN, for the suspense account. Such a row is never in the rejects or retry file.
 * @throws PipelineError MOVE_REFUSED
 */
export async function closeInDoubt(desk: Desk, reason: string): Promise<CarriedOut> {
  mustBeIn(desk, 'close in doubt', 'unknown', 'exception');
  const { resolveWaitMs: waitMs } = desk.account;
  return carryOut(desk, 'close-in-doubt', { reason, evidence: { waitMs } });
}
