import { resolve } from 'node:path';
import { SELECTIONS } from '../../actions/resubmit.ts';
import { findFileOrBatch, FILE_OR_BATCH_ARGUMENT, isBatchReference } from '../../explain/find-file-or-batch.ts';
import { findFile } from '../../ledger/file/search.ts';
import { act, actionCommand, type FindByWords } from '../action-command.ts';
import type { CliCommand } from '../command.ts';

const FILE = [['<file>', 'its id, the first letters of it, or its name']] as const;
const DRY_RUN = [['--dry-run', 'former name of --plan']] as const;

const findIt: FindByWords = async (ledger, _settings, words) => ({ kind: 'file', file: await findFile(ledger, words) });

export const approve = actionCommand(
  'approve',
  {
    name: 'approve',
    about: 'Let a held file go on; its valid rows are sent',
    takes: FILE,
    examples: ['approve monday.csv --plan', 'approve monday.csv --reason "Ms Byron confirms 240 rows"'],
    notes: [
      'Every reason for which the file waits is printed. Where the account asks for two persons (secondPerson), this is a proposal: the file stays held, the exit status is 3, and another person runs "paydrop confirm".',
    ],
  },
  findIt,
);

export const decline = actionCommand(
  'decline',
  {
    name: 'decline',
    about: 'Stop a held file for good; nothing of it is sent',
    takes: FILE,
    examples: ['decline monday.csv --reason "sent twice by mistake"'],
  },
  findIt,
);

/** A file, or one batch of it. */
export const cancel: CliCommand = {
  ...actionCommand(
    'cancel',
    {
      name: 'cancel',
      about: 'Stop what was not sent yet of a file, or one batch of it',
      takes: [FILE_OR_BATCH_ARGUMENT],
      notes: [
        `What was sent, or may have been, goes on to its end: it cannot be called back.
A held file is stopped with "paydrop decline".`,
      ],
      examples: ['cancel monday.csv --reason "the sender recalls it"', 'cancel monday.csv/3 --reason "wrong amounts"'],
    },
    findIt,
  ),
  run: (call) => act(call, isBatchReference(call.arguments[0] ?? '') ? 'cancel-batch' : 'cancel', findFileOrIts, {}),
};

const findFileOrIts: FindByWords = async (ledger, _settings, words) => {
  const { file, batch } = await findFileOrBatch(ledger, words);
  return batch ? { kind: 'batch', file, batch } : { kind: 'file', file };
};

export const resubmit = actionCommand(
  'resubmit',
  {
    name: 'resubmit',
    about: 'Drop the rows of a finished file that were certainly not charged as a new file',
    takes: FILE,
    options: [
      ['--only <which>', `${Object.keys(SELECTIONS).join(', ')}; left out, all of them`],
      ['--drop-again', 'write the file of an earlier resubmission that never came back'],
    ],
    hidden: DRY_RUN,
    notes: [
      `The new file is checked, acknowledged and sent like any other. Each row goes out again
once. Never among them: rows that are approved, pending, unknown or duplicate, invalid
rows, and declined rows whose code says never to try again. Of rows that are not charged
because reports of the service lacked them, the service is asked once more.`,
    ],
    examples: [
      'resubmit monday.csv --plan',
      'resubmit monday.csv --only retryable --reason "the line to the bank is up again"',
    ],
  },
  findIt,
  ({ options }) => {
    const only = options['dropAgain'] ? 'drop-again' : String(options['only'] ?? '');
    return { filled: only === '' ? {} : { only } };
  },
);

/** Compares, or with `--restore` brings back what is missing. */
export const rebuild: CliCommand = {
  ...actionCommand(
    'check-outputs',
    {
      name: 'rebuild-outputs',
      about: 'Make the output files of a file once more and compare them; they are the same byte for byte',
      takes: FILE,
      options: [
        ['--restore', 'write those that are missing in the out folder again'],
        ['--out <folder>', 'leave all of them there; left out, they are only compared'],
      ],
      notes: [
        `What lies in the out folder is never changed.
Exit status 5 when one is missing or differs.`,
      ],
      examples: ['rebuild-outputs monday.csv', 'rebuild-outputs monday.csv --out /tmp/again'],
    },
    findIt,
  ),
  run: (call) => {
    const { restore, out } = call.options;
    const into = out === undefined ? {} : { into: resolve(String(out)) };
    return act(call, restore ? 'rebuild-outputs' : 'check-outputs', findIt, into);
  },
};
