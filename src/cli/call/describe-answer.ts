import { type FieldName, FIELDS } from '../../../schemas/fields.ts';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import type { Advice } from '../../../schemas/rejections.ts';
import type { AnyAnswer, AnyResult, CustomerRecord, ParameterFault } from '../../gateway/answers.ts';
import { labelLines, textTable } from '../print/table.ts';
import { environmentName, secretsOf } from './parameters-of.ts';
import { EXIT } from '../../../schemas/errors.ts';

/**
 * Describes an answer: its kind and meaning, then its data under the spec's names.
 * @param flags how the user typed the parameters, where that differs from the spec's names
 */
export function describeAnswer(
  operation: OperationName,
  answer: AnyAnswer,
  flags: Readonly<Record<string, string>> = {},
): string {
  const { effect } = OPERATIONS[operation];
  switch (answer.kind) {
    case 'approved':
      return block('approved', describeResult(answer.result));
    case 'accepted':
      return block('accepted: not finished yet', describeResult(answer.result));
    case 'declined': {
      const { code, message, advice, transactionId } = answer;
      const rows = { code: String(code), message, advice: ADVICE[advice], transactionId: transactionId ?? '' };
      return block('declined: nothing was booked', labelLines(Object.entries(rows)));
    }
    case 'failed':
      return block(
        effect === 'read' ? 'failed: there is no data' : 'failed: nothing was done',
        labelLines([['errors', answer.errors]]),
      );
    case 'restricted':
      return block('restricted: nothing was sent', labelLines([['message', answer.message]]));
    case 'invalid':
      return block('invalid: nothing was sent', describeFaults(operation, answer.faults, flags));
    case 'not_sent':
      return block('not sent: nothing left this host; you can repeat the call', labelLines([['why', answer.why]]));
    case 'unknown':
      return block(
        'outcome unknown: the service may or may not have done it',
        `${labelLines([['why', answer.why]])}\n${LOOK_FIRST}`,
      );
  }
}

const LOOK_FIRST = `Look it up before you repeat this call: in the service's transaction report of this day, or by telephone.
If it was done, a second call would do it twice.`;

/** What to do about a rejection, in the reader's words. */
const ADVICE: Readonly<Record<Advice, string>> = {
  later: 'the same call may be made again later',
  fix: 'correct the data, then it is a new call',
  cardholder: 'the payer must act',
  merchant: 'the merchant account needs setting up, or a call to the processor',
  never: 'do not send it again',
  unknown: 'the money may have moved: look it up first',
};

function block(title: string, rest: string): string {
  return rest === '' ? title : `${title}\n${rest}`;
}

function describeResult(result: AnyResult): string {
  if ('customers' in result) return customerTable(result.customers);
  if ('customer' in result) return labelLines(flatten(result.customer));
  if ('file' in result)
    return labelLines([
      ['batchId', result.batchId],
      ['file', result.file ? 'see --out' : 'not there yet'],
    ]);
  if ('csv' in result) return result.csv;
  return labelLines(flatten(result));
}

/** Joins the names of nested values with a dot: `recurring.amount`. */
function flatten(values: object, prefix = ''): [string, string][] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]): [string, string][] => {
    if (typeof value === 'object' && value !== null) return flatten(value, `${prefix}${name}.`);
    return [[`${prefix}${name}`, typeof value === 'string' ? value : '']];
  });
}

function describeFaults(
  operation: OperationName,
  faults: readonly ParameterFault[],
  flags: Readonly<Record<string, string>>,
): string {
  return labelLines(
    faults.map(({ field, message }) => [flags[field] ?? field, `${message}${hintOf(operation, field, message)}`]),
  );
}

/** Adds what only the command line knows: where a secret may come from, and that a day is enough. */
function hintOf(operation: OperationName, field: string, message: string): string {
  const name = Object.keys(FIELDS).find((known): known is FieldName => known === field);
  if (name === undefined) return '';
  if (secretsOf(operation).includes(name) && message === 'is required')
    return ` (${environmentName(name)}, --stdin or a terminal)`;
  return FIELDS[name].kind === 'dateTime' && message.startsWith('must be') ? ', or a day such as 2026-11-20' : '';
}

/** Returns the exit status that tells a script the result of a call. */
export function answerStatus(answer: AnyAnswer): number {
  return STATUSES[answer.kind];
}

const STATUSES: Readonly<Record<AnyAnswer['kind'], number>> = {
  approved: EXIT.ok,
  accepted: EXIT.ok,
  invalid: EXIT.usage,
  declined: EXIT.invalid,
  failed: EXIT.invalid,
  restricted: EXIT.invalid,
  unknown: EXIT.unknownOpen,
  not_sent: EXIT.exception,
};

/** Returns stored customers as a table: who, how they pay, and what recurs. */
export function customerTable(customers: readonly CustomerRecord[]): string {
  if (customers.length === 0) return 'There is no such customer.';
  return textTable(TITLES, customers.map(cellsOf));
}

const TITLES = ['Customer code', 'Name', 'Company', 'E-mail', 'City', 'Payment', 'Number', 'Expiry', 'Recurring'];

function cellsOf(customer: CustomerRecord): string[] {
  const { customerCode, firstName, lastName, companyName, email, city, recurring, payment } = customer;
  return [
    customerCode,
    `${firstName} ${lastName}`.trim(),
    companyName,
    email,
    city,
    ...describePayment(payment),
    [recurring.amount, recurring.scheduleType, recurring.active === 'false' && recurring.amount !== '' ? '(off)' : '']
      .filter((text) => text !== '')
      .join(' '),
  ].map(toOneLine);
}

function describePayment(payment: CustomerRecord['payment']): [method: string, number: string, expiry: string] {
  if (payment === null) return ['', '', ''];
  if (payment.kind === 'card') return [payment.mop, payment.creditCardNum, payment.creditCardExpiry];
  return [payment.accountType, payment.accountNum, ''];
}

/** Removes line breaks, which would break the table. */
function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
