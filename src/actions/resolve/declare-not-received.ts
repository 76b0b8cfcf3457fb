import { type CarriedOut, carryOut, mustBeIn, refuse } from './carry-out.ts';
import type { ResolutionContext } from './resolution-context.ts';

/**
 * Declares a batch not received, after the operator confirmed with the service that it never took it. After the waiting
 * time the batch is ready for its next attempt.
 * @param evidence what shows it: who said so, when, under which reference
 * @throws PipelineError MOVE_REFUSED, or RESOLUTION_REFUSED when it is too early, the evidence says nothing, or a
 * report of the service shows a row of the batch
 */
export async function declareNotReceived(
  context: ResolutionContext,
  { evidence, reason }: { evidence: string; reason: string },
): Promise<CarriedOut> {
  mustBeIn(context, ACTION, 'unknown');
  const words = evidence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (words.length < FEWEST_WORDS)
    throw refuse(context, ACTION, 'the evidence is too short', 'Write who confirmed it, when and how.');
  const { resolveWaitMs: waitMs } = context.account;
  return carryOut(context, 'not-received', { reason, evidence: { evidence, waitMs } });
}

const ACTION = 'mark as not received';

/** "Called Ann, ticket 4711": enough to ask someone about it later. */
const FEWEST_WORDS = 3;
