import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { type CliCommand, type Described, JSON_OPTION } from '../command.ts';
import { CURRENCIES } from '../../../schemas/restrictions.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import { makeCall } from './make-call.ts';
import {
  comparesCurrency,
  environmentName,
  isSecret,
  takesMopBeside,
  parametersOf,
  secretsOf,
} from './parameters-of.ts';
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

type FieldKind = (typeof FIELDS)[FieldName]['kind'];
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

const YES_OPTION = ['--yes', 'skip the confirmation and optional secrets'] as const;
const SECRET_FLAGS_OPTION = ['--allow-secret-flags', 'take secrets as options, in the sandbox only'] as const;
const CURRENCY_OPTION = [
  '--currency <code>',
  `currency to compare with, instead of the account's: ${CURRENCIES.join(', ')}`,
] as const;
const OUT_OPTION = ['--out <path>', 'write the result to this new file instead of printing it'] as const;

/**
 * Returns a line for the help with every required parameter that may be typed; the service would accept it as it is.
 */
export function exampleOf(operation: OperationName): string {
  const flags = parametersOf(operation)
    .required.filter((name) => !isSecret(name))
    .map((name) => `--${name} ${quoteWord(sampleOf(name, operation))}`);
  return ['call', operation, '--account main', ...flags].join(' ');
}

const SAMPLES_OF_KINDS: Readonly<Partial<Record<FieldKind, string>>> = {
  boolean: 'false',
  expiry: '12/35',
  base64: 'monday.csv',
};

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
  const { kind } = FIELDS[name];
  if (kind === 'dateTime') return name.startsWith('to') || name.startsWith('end') ? '2026-11-30' : '2026-11-20';
  return SAMPLES_OF_KINDS[kind] ?? SAMPLES[name] ?? '';
}

/** Returns the parameters of one operation as options, under titles: the required ones first. */
export function parameterOptions(operation: OperationName): Required<Pick<CliCommand, 'groups' | 'hidden'>> {
  const { required, optional } = parametersOf(operation);
  const plain = (names: readonly FieldName[]) => names.filter((name) => !isSecret(name)).map(describeParameter);
  const beside: readonly Described[] = takesMopBeside(operation) ? [MOP_BESIDE] : [];
  return {
    groups: [
      { title: 'Required parameters:', options: plain(required) },
      { title: 'Optional parameters:', options: [...plain(optional), ...beside] },
    ],
    hidden: secretsOf(operation).map(describeParameter),
  };
}

/** Returns the help paragraphs about parameters: where secrets come from, and how times are read. */
export function parameterNotes(operation: OperationName): string[] {
  const { required, optional } = parametersOf(operation);
  const secrets = secretsOf(operation);
  const hasTimes = [...required, ...optional].some((name) => FIELDS[name].kind === 'dateTime');
  return [
    ...(secrets.length > 0 ? [describeSecrets(secrets, required)] : []),
    ...(hasTimes ? [TIMES_NOTE] : []),
    ...(takesMopBeside(operation) ? [MOP_NOTE] : []),
  ];
}

const MOP_BESIDE = ['--mop <word>', FIELDS.mop.about] as const;

const MOP_NOTE = `--mop, if given, is compared with the currency of the account before anything\nis sent; it is not sent itself.`;

const TIMES_NOTE = `A time is ISO 8601 with its offset, such as 2026-11-20T09:30:00-05:00, or a day
such as 2026-11-20: its midnight in the time zone of the account.`;

const PLACEHOLDERS = {
  text: '<text>',
  boolean: '[true|false]',
  decimal: '<amount>',
  dateTime: '<time>',
  digits: '<digits>',
  enum: '<word>',
  expiry: '<MM/YY>',
  ipv4: '<address>',
  base64: '<path>',
} as const satisfies Record<FieldKind, string>;

function describeParameter(name: FieldName): Described {
  return [`--${name} ${PLACEHOLDERS[FIELDS[name].kind]}`, describeField(name)];
}

/** Returns what the field is, and its permitted values unless the table's text already names them. */
function describeField(name: FieldName): string {
  const row: { kind: string; about: string; values?: readonly string[] } = FIELDS[name];
  if (row.kind === 'base64')
    return 'CSV file in the format of the service (docs/file-formats.md); its bytes are sent unchanged';
  const values = row.values?.filter((value) => !row.about.includes(value)) ?? [];
  return values.length > 0 ? `${row.about}: ${values.join(', ')}` : row.about;
}

function describeSecrets(names: readonly FieldName[], required: readonly FieldName[]): string {
  const lines = names.map((name) => {
    const need = required.includes(name) ? 'required' : 'optional';
    return `  ${name.padEnd(13)}  ${need}  ${environmentName(name).padEnd(23)}  ${describeField(name)}`;
  });
  return `Secret parameters. They are not options, because process lists and the shell
history show those. Each is read from standard input with --stdin, else from
its environment variable, else from a hidden prompt:
${lines.join('\n')}`;
}

export const call: CliCommand = {
  name: 'call',
  about: 'Call any operation of the payment service',
  commands: (Object.keys(OPERATIONS) as OperationName[]).map(operationCommand),
  notes: [
    `"paydrop call <operation> --help" shows the parameters. On a live account (its
service is not on this machine), a call that moves money or changes a record
asks for confirmation. The ledger does not record these calls; for files use
the drop folders.`,
    `Exit status of a call:
  0  approved, or accepted and not finished yet
  1  invalid or not confirmed; nothing was sent
  2  declined, failed or restricted
  4  outcome unknown: look it up before you call again
  5  not sent; you can repeat the call`,
  ],
  examples: [
    'call getCustomerCodeDetail --account main --customerCode A10000001',
    'call processCreditCardRefundWithTransactionId --account main --transactionId A6DE6F24 --total -5.00 --json',
    'call getBatchProcessResultFile --account main --batchId 1000001 --out result.csv',
  ],
};
