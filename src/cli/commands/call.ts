import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { operationCommand } from '../call/operation-command.ts';
import type { CliCommand } from '../command.ts';

export const call: CliCommand = {
  name: 'call',
  about: 'Call any operation of the payment service by hand',
  commands: (Object.keys(OPERATIONS) as OperationName[]).map(operationCommand),
  notes: [
    `"paydrop call <operation> --help" has the parameters. On a live account, which
is one whose service is not on this machine, a call that moves money or changes
a record wants a yes first. What is called here does not come into the ledger;
for files use the drop folders.`,
    `Exit status of a call:
  0  approved, or accepted and not done yet
  1  invalid or not confirmed; nothing was sent
  2  declined, failed or restricted
  4  unknown: it may have been done, so look it up before you call again
  5  not sent; the same call may be made again`,
  ],
  examples: [
    'call getCustomerCodeDetail --account main --customerCode A10000001',
    'call processCreditCardRefundWithTransactionId --account main --transactionId A6DE6F24 --total -5.00 --json',
    'call getBatchProcessResultFile --account main --batchId 1000001 --out result.csv',
  ],
};
