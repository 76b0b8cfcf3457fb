import { guardCsv } from '../../csv/write/write-csv.ts';
import type { ClientAnswer } from '../../gateway/answers.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { answerStatus, customerTable, describeAnswer } from './describe-answer.ts';
import { openAccount } from './make-call.ts';
import { readLastMoment, readMoment } from './to-parameters.ts';
import { type Call, type CliCommand, JSON_OPTION, settingsOf } from '../command.ts';
import { putOut, sayErr, sayOut } from '../print/say.ts';

const list: CliCommand = {
  name: 'list',
  about: 'List customers created in a range of time',
  required: [
    ['--account <name>', 'account of the configuration'],
    ['--from <time>', 'first day, such as 2026-11-20, or first moment, such as 2026-11-20T09:30:00-05:00'],
    ['--to <time>', 'last day, inclusive, or last moment'],
  ],
  options: [
    ['--format <format>', 'table, csv or json', 'table'],
    JSON_OPTION,
    ['--code <customerCode>', 'only this customer'],
  ],
  notes: [
    `Days are in the time zone of the account. In the CSV, a cell that a
spreadsheet would run as a formula gets a leading apostrophe; "paydrop call
getCustomerListByCreationTimeCSV" prints the original CSV.`,
  ],
  examples: [
    'customers list --account main --from 2026-11-01 --to 2026-11-30',
    'customers list --account main --from 2026-11-01 --to 2026-11-30 --format csv > november.csv',
  ],
  run: listCustomers,
};

export const customers: CliCommand = {
  name: 'customers',
  about: 'The customers stored with the payment service',
  commands: [list],
  examples: list.examples,
};

async function listCustomers(call: Call): Promise<number> {
  const format = readFormat(call.options);
  const { account, client } = openAccount(settingsOf(call), String(call.options['account']));
  const range = {
    customerCode: String(call.options['code'] ?? ''),
    fromDate: readMoment(String(call.options['from']), account.timeZone),
    toDate: readLastMoment(String(call.options['to']), account.timeZone),
  };
  if (format === 'csv') {
    const operation = 'getCustomerListByCreationTimeCSV';
    const answer = await client[operation](range);
    return finish(operation, answer, ({ csv }) => putOut(guardCsv(csv)));
  }
  const operation = 'getCustomerListByCreationTimeXML';
  const answer = await client[operation](range);
  return finish(operation, answer, ({ customers: found }) =>
    sayOut(format === 'json' ? JSON.stringify(found, null, 2) : customerTable(found)),
  );
}

const FLAGS = { customerCode: '--code', fromDate: '--from', toDate: '--to' };

type ListOperation = 'getCustomerListByCreationTimeCSV' | 'getCustomerListByCreationTimeXML';
type CustomerList<Operation extends ListOperation> = Extract<ClientAnswer<Operation>, { kind: 'approved' }>['result'];

/** Prints the list, or says on standard error why there is none. */
function finish<Operation extends ListOperation>(
  operation: Operation,
  answer: ClientAnswer<Operation>,
  printList: (found: CustomerList<Operation>) => unknown,
): number {
  if (answer.kind === 'approved') printList(answer.result);
  else sayErr(describeAnswer(operation, answer, FLAGS));
  return answerStatus(answer);
}

const FORMATS = ['table', 'csv', 'json'] as const;

function readFormat(options: Call['options']): (typeof FORMATS)[number] {
  if (options['json']) return 'json';
  const format = FORMATS.find((name) => name === options['format']);
  if (format) return format;
  throw new PipelineError('USAGE', 'use --format', `it must be one of ${FORMATS.join(', ')}`);
}
