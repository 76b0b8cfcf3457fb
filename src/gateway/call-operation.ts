import { type OperationName, OPERATIONS } from '../../schemas/operations.ts';
import { type Currency, sayRestriction } from '../../schemas/restrictions.ts';
import type { WireOperation } from '../../schemas/wire.ts';
import type { Clock } from '../kernel/clock.ts';
import { checkParameters } from './check-parameters.ts';
import type { AnyAnswer } from './answers.ts';
import { exchange, type ExchangeParts } from './exchange.ts';
import { hideSecrets } from './hide-secrets.ts';
import { readClientAnswer } from './read-client-answer.ts';
import { buildRequest } from './soap/build-request.ts';

/**
 * Inputs of the restriction check that no request carries. A `mop` in the parameters takes precedence. Without one, a
 * card charge that has no parameter for it is not checked; the service judges the stored card.
 */
export type CallOptions = { currency?: Currency | undefined; mop?: string | undefined };

export type ClientParts = ExchangeParts & {
  readonly clock: Clock;
  readonly addressOf: (operation: WireOperation) => URL;
};

/**
 * Makes one call. It checks restrictions first, as the spec requires, then the parameters; nothing is sent before both
 * pass. From `exchange` on, only the service's answer is certain.
 */
export async function callOperation(
  parts: ClientParts,
  operation: OperationName,
  parameters: unknown,
  options: CallOptions = {},
): Promise<AnyAnswer> {
  const { server, login, currency, limits } = parts.account;
  const mop = takeMop(operation, parameters) ?? options.mop;
  const message = sayRestriction({ operation, server, currency: options.currency ?? currency, mop });
  if (message !== undefined) return { kind: 'restricted', message };

  const checked = checkParameters({ operation, server, limits, parameters, now: parts.clock.now() });
  if (checked.kind === 'invalid') return checked;

  const { values } = checked;
  const address = parts.addressOf(operation);
  const secrets = hideSecrets(login, values);
  const request = await buildRequest({ operation, address: address.href, login, values });
  const outcome = await exchange(parts, { operation, request, address, secrets });
  if (outcome.kind === 'not_sent') return outcome;
  return readClientAnswer({ operation, values, secrets }, outcome);
}

/** Reads `mop` before the parameters are checked, so `parameters` may be anything. */
function takeMop(operation: OperationName, parameters: unknown): string | undefined {
  if (!OPERATIONS[operation].wire.some((name) => name === 'mop')) return undefined;
  if (typeof parameters !== 'object' || parameters === null || !('mop' in parameters)) return undefined;
  return typeof parameters.mop === 'string' ? parameters.mop : undefined;
}
