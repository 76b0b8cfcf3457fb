import type { OperationName } from '../../../schemas/operations.ts';
import { findRestriction } from '../../../schemas/restrictions.ts';
import type { CallOptions } from '../../gateway/call-operation.ts';
import { checkParameters } from '../../gateway/check-parameters.ts';
import type { AnyAnswer } from '../../gateway/client-answers.ts';
import type { Account } from '../../config/config.ts';
import type { Clock } from '../../kernel/clock.ts';

/**
 * Previews the client's refusal, so that no user confirms an impossible call. The client checks again, in the same
 * order.
 */
export function foreseeRefusal(
  operation: OperationName,
  { server, currency }: Account,
  call: { parameters: Readonly<Record<string, unknown>>; options: CallOptions; clock: Clock },
): AnyAnswer | undefined {
  const { parameters, options, clock } = call;
  const mop = typeof parameters['mop'] === 'string' ? parameters['mop'] : options.mop;
  const message = findRestriction({ operation, server, currency: options.currency ?? currency, mop });
  if (message !== undefined) return { kind: 'restricted', message };
  const checked = checkParameters({ operation, server, parameters, now: clock.now() });
  return checked.kind === 'invalid' ? checked : undefined;
}
