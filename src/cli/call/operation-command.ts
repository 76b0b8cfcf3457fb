import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { CURRENCIES } from '../../../schemas/restrictions.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import { type CliCommand, JSON_OPTION } from '../command.ts';
import { exampleOf } from './example-of.ts';
import { makeCall } from './make-call.ts';
import { parameterNotes, parameterOptions } from './parameter-options.ts';
import { comparesCurrency, secretsOf } from './parameters-of.ts';

/** Builds the command of one operation from the tables: its own parameters as options, then those of every call. */
export function operationCommand(operation: OperationName): CliCommand {
  const { purpose, servers } = OPERATIONS[operation];
  return {
    name: operation,
    alias: wireName(operation),
    about: servers.length === 1 ? `${purpose} (${servers[0]} only)` : purpose,
    ...parameterOptions(operation),
    required: [['--account <name>', 'account of the configuration']],
    options: callOptions(operation),
    notes: parameterNotes(operation),
    examples: [exampleOf(operation)],
    run: (call) => makeCall(operation, call),
  };
}

type OptionRow = NonNullable<CliCommand['options']>[number];

function callOptions(operation: OperationName): OptionRow[] {
  const hasSecrets = secretsOf(operation).length > 0;
  const moves = OPERATIONS[operation].effect !== 'read';
  return [
    JSON_OPTION,
    ...(moves ? [YES_OPTION] : []),
    ['--stdin', 'read parameters from standard input: lines name=value, or one JSON object of texts'],
    ...(hasSecrets ? [SECRET_FLAGS_OPTION] : []),
    ...(comparesCurrency(operation) ? [CURRENCY_OPTION] : []),
    ...(operation === 'getBatchProcessResultFile' ? [OUT_OPTION] : []),
  ];
}

const YES_OPTION = ['--yes', 'it is meant: ask for no confirmation, nor for secrets that may be left out'] as const;
const SECRET_FLAGS_OPTION = ['--allow-secret-flags', 'take secrets as options, in the sandbox only'] as const;
const CURRENCY_OPTION = [
  '--currency <code>',
  `currency to compare with, instead of the one of the account: ${CURRENCIES.join(', ')}`,
] as const;
const OUT_OPTION = [
  '--out <path>',
  'write the result file here, where nothing may stand, instead of printing it',
] as const;
