import { FIELDS, type FieldName } from '../../../schemas/fields.ts';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import type { Account } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskNumber, maskText } from '../../kernel/mask.ts';
import { labelLines } from '../print/label-lines.ts';
import { ask } from './ask.ts';
import type { Given } from './read-input.ts';
import type { Terminal } from './terminal.ts';

/**
 * Shows what is about to be sent to a live account and waits for a yes.
 * @throws PipelineError USAGE for any other answer
 */
export async function confirmCall(
  terminal: Terminal,
  operation: OperationName,
  account: Account,
  given: Given,
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

/** @returns the error for a call that needs a yes and cannot get one */
export function unconfirmed(operation: OperationName, { name }: Account, reason: string): PipelineError {
  const next = 'Nothing was sent. Give --yes if it is meant.';
  return new PipelineError('USAGE', `call ${operation} on the live account "${name}"`, reason, { next });
}

/** Masks numbers except their last digits, and security codes fully. Amounts stay readable: the yes is about them. */
function showValue(name: string, value: string): string {
  if (!Object.hasOwn(FIELDS, name)) return maskNumber(value);
  const row: { kind: string; secret?: true } = FIELDS[name as FieldName];
  if (row.secret && row.kind !== 'base64') return maskNumber(value);
  return row.kind === 'text' || row.kind === 'base64' ? maskText(value) : value;
}
