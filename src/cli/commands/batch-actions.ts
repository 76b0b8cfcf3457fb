import { BATCH_ARGUMENT, findBatch } from '../../explain/batch-reference.ts';
import { actionCommand, type FindByWords } from '../action-command.ts';

const TAKES = [BATCH_ARGUMENT];

export const findBatchByWords: FindByWords = async (ledger, _settings, words) => ({
  kind: 'batch',
  ...(await findBatch(ledger, words)),
});

export const retry = actionCommand(
  'retry',
  {
    name: 'retry',
    about: 'Send a refused batch again; nothing of it was charged',
    takes: TAKES,
    notes: [
      'Fix the cause first. Another refusal stops the account again, and the service locks accounts after repeated attempts.',
    ],
    examples: ['retry monday.csv/1 --reason "the password is updated"'],
  },
  findBatchByWords,
);

export const withdraw = actionCommand(
  'withdraw',
  {
    name: 'withdraw',
    about: 'Withdraw a refused batch; its rows are not sent',
    takes: TAKES,
    notes: ['Its rows appear as NOT_SENT in the results, and in the rejects file.'],
    examples: ['withdraw monday.csv/1 --reason "the sender will send a new file"'],
  },
  findBatchByWords,
);

export const repoll = actionCommand(
  'repoll',
  {
    name: 'repoll',
    about: 'Ask the service for the result of a batch now',
    takes: TAKES,
    notes: [
      'This only reads and can be repeated freely. Exit status 5 when the result does not match or the service does not answer.',
    ],
    examples: ['repoll monday.csv/1', 'repoll monday.csv/1 --json'],
  },
  findBatchByWords,
);
