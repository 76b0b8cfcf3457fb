import { isIPv6 } from 'node:net';
import { basename, dirname } from 'node:path';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { CURRENCIES, type Currency, sayRestriction } from '../../../schemas/restrictions.ts';
import type { CallOptions } from '../../gateway/call-operation.ts';
import type { AnyAnswer } from '../../gateway/answers.ts';
import { createGatewayClient, type GatewayClient } from '../../gateway/create-gateway-client.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { type Call, settingsOf } from '../command.ts';
import { withStopSignal } from '../process/stop-signal.ts';
import { answerStatus, describeAnswer } from './describe-answer.ts';
import { gatherValues, type TypedValues, type Sources } from './gather-values.ts';
import { takesMopBeside } from './parameters-of.ts';
import { ask, hasPerson, systemTerminal, type Terminal } from './terminal.ts';
import { toParameters } from './to-parameters.ts';
import { checkParameters } from '../../gateway/check-parameters.ts';
import type { Account, Settings } from '../../config/config.ts';
import { type FieldName, FIELDS } from '../../../schemas/fields.ts';
import { maskNumber, maskText } from '../../kernel/mask.ts';
import { labelLines } from '../print/table.ts';
import { writeOutput } from '../../files/outputs/write-output.ts';
import { serviceAddress } from '../../gateway/service-address.ts';
import { isLoopback } from '../../kernel/is-loopback.ts';
import { putOut, sayErr, sayOut } from '../print/say.ts';

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
    throw unconfirmed(operation, account, 'there is no terminal to confirm it');
  }
  const given = await gatherValues(operation, call.options, sources, isSandbox);
  const parameters = await toParameters(given, account.timeZone);
  if (isIPv6(String(given['customerIPAddress']))) sayErr(IPV6_TEXT);
  const refusal = previewRefusal(operation, account, { parameters, options, clock: systemClock });
  if (needsYes && !refusal) await confirmCall(sources.terminal, operation, account, given);
  const answer = refusal ?? (await send(client, operation, parameters, options));
  await showAnswer(call, operation, answer);
  return answerStatus(answer);
}

const IPV6_TEXT = 'customerIPAddress is an IPv6 address, which the service mishandles; it is sent as empty.';

/** Reads the options that only the restriction check uses. */
function readCallOptions(operation: OperationName, options: Call['options']): CallOptions {
  const { currency, mop } = options;
  return {
    ...(currency === undefined ? {} : { currency: readCurrency(String(currency)) }),
    ...(takesMopBeside(operation) && mop !== undefined ? { mop: String(mop) } : {}),
  };
}

function readCurrency(text: string): Currency {
  const known = CURRENCIES.find((currency) => currency === text);
  if (known) return known;
  throw new PipelineError('USAGE', 'use --currency', `it must be one of ${CURRENCIES.join(', ')}`);
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
    stop.addEventListener('abort', () => sayErr(STOP_TEXT));
    return method(parameters, options);
  });
}

const STOP_TEXT =
  'The request may already have been sent. Waiting for the answer; a second Ctrl-C stops at once, and the outcome is then unknown.';

/**
 * Previews the client's refusal, so that no user confirms an impossible call. The client checks again, in the same
 * order.
 */
export function previewRefusal(
  operation: OperationName,
  { server, currency, serviceLimits }: Account,
  call: { parameters: Readonly<Record<string, unknown>>; options: CallOptions; clock: Clock },
): AnyAnswer | undefined {
  const { parameters, options, clock } = call;
  const mop = typeof parameters['mop'] === 'string' ? parameters['mop'] : options.mop;
  const message = sayRestriction({ operation, server, currency: options.currency ?? currency, mop });
  if (message !== undefined) return { kind: 'restricted', message };
  const checked = checkParameters({ operation, server, limits: serviceLimits, parameters, now: clock.now() });
  return checked.kind === 'invalid' ? checked : undefined;
}

/**
 * Shows what is about to be sent to a live account and waits for a yes.
 * @throws PipelineError USAGE for any other answer
 */
export async function confirmCall(
  terminal: Terminal,
  operation: OperationName,
  account: Account,
  given: TypedValues,
): Promise<void> {
  const { purpose } = OPERATIONS[operation];
  const currency = Object.hasOwn(given, 'total') ? `, ${account.currency}` : '';
  const rows = Object.entries(given).map(([name, value]): [string, string] => [name, showValue(name, String(value))]);
  terminal.output.write(
    `${operation}: ${purpose}\n${labelLines([['account', `${account.name} (${account.server}${currency}, live)`], ...rows])}\n`,
  );
  const answer = await ask(terminal, 'Send it? Type yes: ');
  if (answer.trim().toLowerCase() !== 'yes') throw unconfirmed(operation, account, 'the answer was not yes');
}

function unconfirmed(operation: OperationName, { name }: Account, reason: string): PipelineError {
  const next = 'Nothing was sent. Use --yes to skip the confirmation.';
  return new PipelineError('USAGE', `call ${operation} on the live account "${name}"`, reason, { next });
}

/** Masks numbers except their last digits, and security codes fully. Amounts stay readable: the yes is about them. */
function showValue(name: string, value: string): string {
  if (!Object.hasOwn(FIELDS, name)) return maskNumber(value);
  const row: { kind: string; secret?: true } = FIELDS[name as FieldName];
  if (row.secret && row.kind !== 'base64') return maskNumber(value);
  return row.kind === 'text' || row.kind === 'base64' ? maskText(value) : value;
}

/**
 * Prints an answer. Standard output gets only the requested file or result, so that it can be piped. Answers without
 * data go to standard error; with --json all answers are data.
 * @throws PipelineError OUTPUT_EXISTS and others when --out cannot be written
 */
export async function showAnswer(call: Call, operation: OperationName, answer: AnyAnswer): Promise<void> {
  const file = fileOf(answer);
  const out = call.options['out'];
  if (file !== undefined && typeof out === 'string') await writeFile(out, file);
  if (call.options['json']) sayOut(JSON.stringify(toJson(answer), null, 2));
  else if (file !== undefined && typeof out === 'string') sayErr(`Written: ${out}`);
  else if (file !== undefined) putOut(hideNumbers(file.toString('utf8')));
  else if (isResult(answer)) sayOut(describeAnswer(operation, answer));
  else sayErr(describeAnswer(operation, answer));
}

/** Encodes a file as base64 for JSON, because the service's bytes need not be text in any character set. */
function toJson(answer: AnyAnswer): unknown {
  if (answer.kind !== 'approved' && answer.kind !== 'accepted') return answer;
  if (!('file' in answer.result)) return answer;
  const { file } = answer.result;
  return { ...answer, result: { ...answer.result, file: file === null ? null : file.toString('base64') } };
}

function fileOf(answer: AnyAnswer): Buffer | undefined {
  if (answer.kind !== 'approved') return undefined;
  if ('csv' in answer.result) return Buffer.from(answer.result.csv);
  return 'file' in answer.result ? (answer.result.file ?? undefined) : undefined;
}

/** Returns whether an answer is data. A batch that is still running has no file to print. */
function isResult(answer: AnyAnswer): boolean {
  if (answer.kind !== 'approved' && answer.kind !== 'accepted') return false;
  return !('file' in answer.result);
}

async function writeFile(path: string, file: Buffer): Promise<void> {
  const write = async (out: NodeJS.WritableStream) => void out.write(file);
  await writeOutput({ dir: dirname(path), name: basename(path), write });
}

/** Masks runs as long as a card number, in case the service did not mask a number in its file. */
function hideNumbers(text: string): string {
  return text.replace(/\d{13,}/g, maskNumber);
}

type OpenAccount = {
  readonly account: Account;
  readonly client: GatewayClient;
  /** The calls stay on this machine, so no money moves. */
  readonly isSandbox: boolean;
};

/**
 * Returns an account of the configuration, ready for calls.
 * @throws PipelineError NOT_FOUND; GATEWAY_SETUP for an address that cannot be called safely
 */
export function openAccount(settings: Settings, name: string): OpenAccount {
  const account = settings.accounts.get(name);
  if (!account) {
    const next = `There are: ${[...settings.accounts.keys()].join(', ')}.`;
    throw new PipelineError('NOT_FOUND', `use account "${maskText(name)}"`, 'it is not in the configuration', { next });
  }
  const { server, agentCode, password, currency, serviceLimits, baseUrl, connectTimeoutMs, answerTimeoutMs } = account;
  const timeouts = { connectMs: connectTimeoutMs, answerMs: answerTimeoutMs };
  return {
    account,
    client: createGatewayClient({ server, agentCode, password, currency, serviceLimits, baseUrl, timeouts }),
    isSandbox: isLoopback(serviceAddress(server, baseUrl).hostname),
  };
}
