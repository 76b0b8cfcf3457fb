import { FIELDS, type FieldName } from '../../schemas/fields.ts';
import { FOLDER_OPERATIONS, OPERATIONS, SERVER_URLS, SERVICE_NAMESPACE } from '../../schemas/operations.ts';
import { code, page, table } from './markdown.ts';

type Operation = (typeof OPERATIONS)[keyof typeof OPERATIONS];
const ROWS = Object.entries(OPERATIONS) as [string, Operation][];

export function renderOperations(): string {
  return page(
    '# Operations',
    `The ${ROWS.length} operations of the service. \`read\` may be repeated freely, \`write\` changes a stored record, \`charge\` moves money and is never repeated by the program.`,
    overview(),
    '## Folders',
    'A drop folder names its operation by these words. All amounts of a file have the sign given here.',
    folders(),
    '## Addresses',
    `Both servers share the namespace ${code(SERVICE_NAMESPACE)}.`,
    table(
      ['Server', 'Address'],
      Object.entries(SERVER_URLS).map(([server, url]) => [code(server), code(url)]),
    ),
    '## Parameters',
    'In the order in which they are written to the service, after the agent code and the password. *Unstated*: the spec lists the parameter but does not say whether it is required; paydrop treats it as optional.',
    ...ROWS.flatMap(([name, row]) => [`### ${name}`, `${row.purpose}.`, parameters(row)]),
  );
}

function overview(): string {
  return table(
    ['Operation', 'Service', 'Servers', 'Effect', 'Purpose'],
    ROWS.map(([name, row]) => [
      `[${name}](#${name.toLowerCase()})`,
      row.service,
      row.servers.join(', '),
      code(row.effect),
      row.purpose,
    ]),
  );
}

function folders(): string {
  return table(
    ['Folder', 'Operation', 'Amounts'],
    Object.entries(FOLDER_OPERATIONS).map(([name, { operation, sign }]) => [
      code(name),
      code(operation),
      sign === 1 ? 'positive' : 'negative',
    ]),
  );
}

function parameters(row: Operation): string {
  const names: readonly FieldName[] = ['customerIPAddress', ...row.wire];
  return table(
    ['Parameter', 'Need', 'Meaning'],
    names.map((name) => [code(name), needOf(row, name), FIELDS[name].about]),
  );
}

function needOf(row: Operation, name: FieldName): string {
  const has = (names: readonly FieldName[]) => names.includes(name);
  if (has(row.required)) return 'required';
  return has(row.optional) ? 'optional' : 'unstated';
}
