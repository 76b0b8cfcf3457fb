import { BATCH_ARGUMENT, FILE_OR_BATCH_ARGUMENT, findBatch, findFileOrBatch } from '../../explain/batch-reference.ts';
import { actionCommand, type FindByWords } from '../action-command.ts';
import { saidState } from '../../../schemas/shown.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { requeueFile } from '../../actions/batch-actions.ts';
import { type CliCommand, JSON_OPTION, print, settingsOf } from '../command.ts';
import { openCommandLog } from '../open-command-log.ts';
import { withApp } from '../process/with-app.ts';

const TAKES = [BATCH_ARGUMENT];

const findBatchByWords: FindByWords = async (ledger, _settings, words) => ({
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

export const release = actionCommand(
  'release',
  {
    name: 'release',
    about: 'Send a batch although a payment in it may have been charged meanwhile',
    takes: TAKES,
    notes: [
      'Release it only if they are other payments; "paydrop why BATCH" shows both sides. Otherwise "paydrop cancel BATCH --reason …". Where overrides take two persons, this proposes it.',
    ],
    examples: ['release monday.csv/1 --reason "two terms of dues, the member confirmed both"'],
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

export const requeue: CliCommand = {
  name: 'requeue',
  about: 'Have a file or batch looked at now, also after a failure; harmless at any time',
  takes: [FILE_OR_BATCH_ARGUMENT],
  options: [JSON_OPTION],
  notes: ['A running paydrop does this by itself every few seconds. It sends only what the ledger allows.'],
  examples: ['requeue monday.csv', 'requeue monday.csv/2 --json'],
  async run(call) {
    const [words = ''] = call.arguments;
    const options = { log: openCommandLog('warn'), env: process.env };
    await withApp(settingsOf(call), options, async (app) => {
      const { file, batch } = await findFileOrBatch(app.ledger, words);
      const asked = await requeueFile(app, file, batch);
      print(call, { fileId: file.file_id, name: file.name, asked }, () =>
        asked.length > 0
          ? `Rang for: ${asked.join(', ')}.`
          : `Nothing to ring for: its state is ${saidState(batch?.state ?? file.state)}. See "paydrop why ${words}".`,
      );
    });
    return EXIT.ok;
  },
};
