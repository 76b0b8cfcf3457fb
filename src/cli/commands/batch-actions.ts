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
    about: 'Send a refused batch again; the service had said no, nothing was charged',
    takes: TAKES,
    notes: [
      'Fix the cause first. Another refusal stops the account again, and the service locks accounts that try often.',
    ],
    examples: ['retry monday.csv/1 --reason "the password is the new one now"'],
  },
  findBatchByWords,
);

export const withdraw = actionCommand(
  'withdraw',
  {
    name: 'withdraw',
    about: 'Give up a refused batch; its rows are not sent',
    takes: TAKES,
    notes: ['Its rows stand in the results as NOT_SENT, and in the rejects file.'],
    examples: ['withdraw monday.csv/1 --reason "the sender will send it anew"'],
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
      'Asking reads only and may be repeated freely. Nothing is sent by it. Exit status 5 when the result does not fit, or the question gets no answer.',
    ],
    examples: ['repoll monday.csv/1', 'repoll monday.csv/1 --json'],
  },
  findBatchByWords,
);
