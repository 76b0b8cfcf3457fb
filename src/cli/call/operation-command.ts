import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { CURRENCIES } from '../../../schemas/restrictions.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import { type CliCommand, JSON_OPTION } from '../command.ts';
import { makeCall } from './make-call.ts';
import { parameterNotes, parameterOptions } from './parameter-options.ts';
import { comparesCurrency, isSecret, needsMopBeside, parametersOf, secretsOf } from './parameters-of.ts';
import { type FieldName, FIELDS } from '../../../schemas/fields.ts';
import { quoteWord } from '../print/paydrop-line.ts';

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

/**
 * Returns a line for the help with every required parameter that may be typed; the service would accept it as it is.
 */
export function exampleOf(operation: OperationName): string {
  const flags = parametersOf(operation)
    .required.filter((name) => !isSecret(name))
    .map((name) => `--${name} ${quoteWord(sampleOf(name, operation))}`);
  const beside = needsMopBeside(operation) ? ['--mop VISA'] : [];
  return ['call', operation, '--account main', ...flags, ...beside].join(' ');
}

/** Texts missing here may be empty. */
const SAMPLES: Readonly<Partial<Record<FieldName, string>>> = {
  firstName: 'Ada',
  lastName: 'Byron',
  address: '1 Mill Lane',
  city: 'Troy',
  state: 'NY',
  zipCode: '12180',
  customerCode: 'A10000001',
  transactionId: 'A6DE6F24',
  batchId: '1000001',
  accountType: 'CHECKING',
  mop: 'VISA',
};

function sampleOf(name: FieldName, operation: OperationName): string {
  if (name === 'total') return operation.includes('Refund') ? '-5.00' : '25.00';
  switch (FIELDS[name].kind) {
    case 'boolean':
      return 'false';
    case 'dateTime':
      return name.startsWith('to') || name.startsWith('end') ? '2026-11-30' : '2026-11-20';
    case 'expiry':
      return '12/35';
    case 'base64':
      return 'monday.csv';
    case 'text':
    case 'decimal':
    case 'digits':
    case 'enum':
    case 'ipv4':
      return SAMPLES[name] ?? '';
  }
}
