import { FIELDS, type FieldName } from '../../../schemas/fields.ts';
import type { OperationName } from '../../../schemas/operations.ts';
import type { CliCommand, Described } from '../command.ts';
import { environmentName, isSecret, needsMopBeside, parametersOf, secretsOf } from './parameters-of.ts';

/** Returns the parameters of one operation as options, under titles: the required ones first. */
export function parameterOptions(operation: OperationName): Required<Pick<CliCommand, 'groups' | 'hidden'>> {
  const { required, optional } = parametersOf(operation);
  const plain = (names: readonly FieldName[]) => names.filter((name) => !isSecret(name)).map(describeParameter);
  const beside: readonly Described[] = needsMopBeside(operation) ? [MOP_BESIDE] : [];
  return {
    groups: [
      { title: 'Required parameters:', options: [...plain(required), ...beside] },
      { title: 'Optional parameters:', options: plain(optional) },
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
    ...(needsMopBeside(operation) ? [MOP_NOTE] : []),
  ];
}

const MOP_BESIDE = ['--mop <word>', FIELDS.mop.about] as const;

const MOP_NOTE = `--mop is compared with the currency of the account before anything is sent; it\nis not sent itself.`;

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
} as const satisfies Record<(typeof FIELDS)[FieldName]['kind'], string>;

function describeParameter(name: FieldName): Described {
  return [`--${name} ${PLACEHOLDERS[FIELDS[name].kind]}`, describeField(name)];
}

/** Returns what the field is, and its permitted values unless the table's text already names them. */
function describeField(name: FieldName): string {
  const row: { kind: string; about: string; values?: readonly string[] } = FIELDS[name];
  if (row.kind === 'base64')
    return 'CSV file as the service takes it (docs/file-formats.md); its bytes are sent as they are';
  const values = row.values?.filter((value) => !row.about.includes(value)) ?? [];
  return values.length > 0 ? `${row.about}: ${values.join(', ')}` : row.about;
}

function describeSecrets(names: readonly FieldName[], required: readonly FieldName[]): string {
  const lines = names.map((name) => {
    const need = required.includes(name) ? 'required' : 'optional';
    return `  ${name.padEnd(13)}  ${need}  ${environmentName(name).padEnd(23)}  ${describeField(name)}`;
  });
  return `Secret parameters. They are not options, because process lists and the history
of the shell show those. Each is read from standard input with --stdin, else
from its environment variable, else it is asked for at the terminal, unseen:
${lines.join('\n')}`;
}
