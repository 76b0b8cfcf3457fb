import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { CURRENCIES, type Currency } from '../../../schemas/restrictions.ts';
import type { CallOptions } from '../../gateway/call-operation.ts';
import type { AnyAnswer } from '../../gateway/client-answers.ts';
import type { GatewayClient } from '../../gateway/create-gateway-client.ts';
import { systemClock } from '../../kernel/clock.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { type Call, settingsOf } from '../command.ts';
import { withStopSignal } from '../process/stop-signal.ts';
import { answerStatus } from './answer-status.ts';
import { confirmCall, unconfirmed } from './confirm-call.ts';
import { foreseeRefusal } from './foresee-refusal.ts';
import { gatherValues, type Sources } from './gather-values.ts';
import { openAccount } from './open-account.ts';
import { needsMopBeside } from './parameters-of.ts';
import { showAnswer } from './show-answer.ts';
import { hasPerson, systemTerminal } from './terminal.ts';
import { toParameters } from './to-parameters.ts';

/**
 * Makes one call by hand. Everything that can stop it comes before `send`. On a live account no call that moves money
 * or changes a record leaves without a yes.
 * @returns the exit status
 */
export async function makeCall(
  operation: OperationName,
  call: Call,
  sources: Sources = { env: process.env, terminal: systemTerminal() },
): Promise<number> {
  const { account, client, isSandbox } = openAccount(settingsOf(call), String(call.options['account']));
  const options = readCallOptions(operation, call.options);
  const needsYes = OPERATIONS[operation].effect !== 'read' && !isSandbox && call.options['yes'] !== true;
  if (needsYes && (call.options['stdin'] || !hasPerson(sources.terminal))) {
    throw unconfirmed(operation, account, 'nobody is at a terminal to confirm it');
  }
  const given = await gatherValues(operation, call.options, sources, isSandbox);
  const parameters = await toParameters(given, account.timeZone);
  const refusal = foreseeRefusal(operation, account, { parameters, options, clock: systemClock });
  if (needsYes && !refusal) await confirmCall(sources.terminal, operation, account, given);
  const answer = refusal ?? (await send(client, operation, parameters, options));
  await showAnswer(call, operation, answer);
  return answerStatus(answer);
}

/** Reads the options that only the restriction check uses. */
function readCallOptions(operation: OperationName, options: Call['options']): CallOptions {
  const { currency, mop } = options;
  return {
    ...(currency === undefined ? {} : { currency: readCurrency(String(currency)) }),
    ...(needsMopBeside(operation) && mop !== undefined ? { mop: String(mop) } : {}),
  };
}

function readCurrency(text: string): Currency {
  const known = CURRENCIES.find((currency) => currency === text);
  if (known) return known;
  throw new PipelineError('USAGE', 'use --currency', `it is none of ${CURRENCIES.join(', ')}`);
}

type Method = (parameters: object, options: CallOptions) => Promise<AnyAnswer>;

/** Sends the call. Ctrl-C cannot recall a request: a user who leaves early does not know whether it was carried out. */
function send(
  client: GatewayClient,
  operation: OperationName,
  parameters: object,
  options: CallOptions,
): Promise<AnyAnswer> {
  // The parameter check replaces the types, which a command line does not have.
  const method = client[operation] as unknown as Method;
  if (OPERATIONS[operation].effect === 'read') return method(parameters, options);
  return withStopSignal((stop) => {
    stop.addEventListener('abort', () => console.error(STOP_TEXT));
    return method(parameters, options);
  });
}

const STOP_TEXT =
  'The request may have left already. Waiting for the answer; a second Ctrl-C ends at once, and then nobody knows.';
