import type { Readable } from 'node:stream';
import { type FieldName, FIELDS } from '../../../schemas/fields.ts';
import type { OperationName } from '../../../schemas/operations.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Call } from '../command.ts';
import { environmentName, isSecret, parametersOf, secretsOf } from './parameters-of.ts';
import { ask, hasPerson, type Terminal } from './terminal.ts';
import { sayErr } from '../print/say.ts';

/** Sources of a call's values besides its command line. */
export type Sources = { readonly env: NodeJS.ProcessEnv; readonly terminal: Terminal };

/**
 * Collects everything given for one call, by parameter name: options, then standard input, then the secrets.
 * @param isSandbox secrets may be options only there
 * @throws PipelineError USAGE; its message never contains a value
 */
export async function gatherValues(
  operation: OperationName,
  options: Call['options'],
  sources: Sources,
  isSandbox: boolean,
): Promise<TypedValues> {
  const flags = readFlags(operation, options);
  guardSecretFlags(flags, options['allowSecretFlags'] === true && isSandbox);
  const input = options['stdin'] ? await readInput(sources.terminal.input) : {};
  const twice = Object.keys(input).find((name) => Object.hasOwn(flags, name));
  if (twice) throw usage(`use --${twice}`, 'standard input also gives it', 'Give it once.');
  const given = { ...input, ...flags };
  const secrets = await readSecrets(operation, given, { ...sources, required: options['yes'] === true });
  return { ...given, ...secrets };
}

function readFlags(operation: OperationName, options: Call['options']): TypedValues {
  const { required, optional } = parametersOf(operation);
  const flags: Record<string, string | boolean> = {};
  for (const name of [...required, ...optional]) {
    const value = options[name];
    if (value === undefined) continue;
    // Otherwise a forgotten value would swallow the next option, and the call would go out without that one.
    if (typeof value === 'string' && value.startsWith('--')) throw usage(`use --${name}`, 'its value is missing');
    flags[name] = value;
  }
  return flags;
}

function guardSecretFlags(flags: TypedValues, areAllowed: boolean): void {
  const names = (Object.keys(flags) as FieldName[]).filter((name) => isSecret(name));
  const [first] = names;
  if (first === undefined) return;
  if (!areAllowed) {
    const next =
      `Set ${environmentName(first)}, or use --stdin, or leave it out to be asked at a terminal. ` +
      'In the sandbox, --allow-secret-flags allows it.';
    throw usage(`take --${first}`, 'process lists and the shell history would show it', next);
  }
  const list = names.map((name) => `--${name} (${FIELDS[name].about.toLowerCase()})`).join(', ');
  sayErr(`Warning: process lists and the shell history show ${list}.`);
}

function usage(action: string, reason: string, next?: string): PipelineError {
  return new PipelineError('USAGE', action, reason, next === undefined ? {} : { next });
}

/**
 * Reads the secret parameters not given yet: from the environment, else from a prompt if a user can answer. What is
 * found nowhere is left out, and the parameter check reports it.
 * @param options.required ask only for those that the operation requires
 */
export async function readSecrets(
  operation: OperationName,
  given: TypedValues,
  options: { env: NodeJS.ProcessEnv; terminal: Terminal; required: boolean },
): Promise<TypedValues> {
  const { required } = parametersOf(operation);
  const found: Record<string, string> = {};
  for (const name of secretsOf(operation).filter((secret) => !Object.hasOwn(given, secret))) {
    const isRequired = required.includes(name);
    const isAsked = hasPerson(options.terminal) && (isRequired || !options.required);
    const value =
      options.env[environmentName(name)] || (isAsked ? await askSecret(options.terminal, name, isRequired) : '');
    if (value !== '') found[name] = value;
  }
  return found;
}

async function askSecret(terminal: Terminal, name: FieldName, isRequired: boolean): Promise<string> {
  const rest = isRequired ? 'not shown' : 'not shown; Enter leaves it out';
  return (await ask(terminal, `${name}: ${FIELDS[name].about} (${rest}): `, true)).trim();
}

/** Parameters as typed, before they are parsed by kind. */
export type TypedValues = Readonly<Record<string, string | boolean>>;

/**
 * Reads parameters from standard input: one JSON object of texts and booleans, or lines `name=value`. JSON numbers are
 * refused, because they would lose digits of a long card number and cents of an amount.
 * @throws PipelineError USAGE; it names places and names, never what was read
 */
export async function readInput(input: Readable & { readonly isTTY?: boolean }): Promise<TypedValues> {
  if (input.isTTY) throw fault('it is a terminal, which would show your input', 'Leave --stdin out to be asked.');
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk as Uint8Array | string));
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '');
  return text.trimStart().startsWith('{') ? readJson(text) : readLines(text);
}

function readJson(text: string): TypedValues {
  const entries = Object.entries(parseObject(text));
  const odd = entries.findIndex(([, value]) => typeof value !== 'string' && typeof value !== 'boolean');
  if (odd >= 0) throw fault(`entry ${odd + 1} of the object is neither text nor true or false`, 'Quote the value.');
  return Object.fromEntries(entries as [string, string | boolean][]);
}

/** Parses JSON. The parser's own message is dropped: it quotes the text, which may be a card number. */
function parseObject(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    throw fault('it is not a JSON object', 'Write {"name": "value"}, or lines name=value.');
  }
}

function readLines(text: string): TypedValues {
  const given: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [, name, value] = /^\s*([A-Za-z]\w*)\s*=(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw fault(`line ${index + 1} is not name=value`);
    if (Object.hasOwn(given, name)) throw fault(`line ${index + 1} gives ${name} a second time`);
    given[name] = value.trim();
  }
  return given;
}

function fault(reason: string, next = 'Write one parameter per line.'): PipelineError {
  return new PipelineError('USAGE', 'read parameters from standard input', reason, { next });
}
