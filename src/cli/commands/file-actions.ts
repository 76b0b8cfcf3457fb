import { resolve } from 'node:path';
import { SELECTIONS } from '../../actions/resubmit.ts';
import { findFileOrBatch, FILE_OR_BATCH_ARGUMENT, isBatchReference } from '../../explain/batch-reference.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { findFile } from '../../ledger/file/search.ts';
import { readFileOf, readProposal } from '../../ledger/proposal/proposals.ts';
import { act, actionCommand, type FindByWords } from '../action-command.ts';
import type { CliCommand } from '../command.ts';

const FILE = [['<file>', 'its id, the first characters of the id, or its name']] as const;

const findIt: FindByWords = async (ledger, _settings, words) => ({ kind: 'file', file: await findFile(ledger, words) });

export const approve = actionCommand(
  'approve',
  {
    name: 'approve',
    about: 'Approve a held file; its valid rows are sent',
    takes: FILE,
    examples: ['approve monday.csv --plan', 'approve monday.csv --reason "Ms Byron confirms 240 rows"'],
    notes: [
      'Prints every reason for which the file is held. If the account requires two persons (secondPerson), this is a proposal: the file stays held, the exit status is 3, and another person runs "paydrop confirm".',
    ],
  },
  findIt,
);

export const decline = actionCommand(
  'decline',
  {
    name: 'decline',
    about: 'Decline a held file; nothing in it is ever sent',
    takes: FILE,
    examples: ['decline monday.csv --reason "sent twice by mistake"'],
  },
  findIt,
);

/** What came late of a file, or payments of a batch that were perhaps made twice. */
export const acknowledge: CliCommand = {
  ...actionCommand(
    'acknowledge',
    {
      name: 'acknowledge',
      about: 'Confirm to have looked: at what came late of a file, or at payments of a batch perhaps made twice',
      takes: [FILE_OR_BATCH_ARGUMENT],
      notes: [
        `What came late of a file is not sent; ask the sender what it is first. "paydrop cancel" stops the unsent
batches instead. Of payments perhaps made twice, refund one of each pair first. This moves no money, and
"paydrop why BATCH" still shows them.`,
      ],
      examples: [
        'acknowledge monday.csv --plan',
        'acknowledge monday.csv --reason "Ms Byron drops the 10 rows again"',
        'acknowledge monday.csv/1 --reason "INV-7 was refunded in refunds.csv"',
      ],
    },
    findIt,
  ),
  run: (call) =>
    act(call, isBatchReference(call.arguments[0] ?? '') ? 'acknowledge-batch' : 'acknowledge', findFileOrIts, {}),
};

/** A file, or one batch of it. */
export const cancel: CliCommand = {
  ...actionCommand(
    'cancel',
    {
      name: 'cancel',
      about: 'Cancel the unsent batches of a file, or one batch',
      takes: [FILE_OR_BATCH_ARGUMENT],
      notes: [
        `Batches that were or may have been sent cannot be recalled; they continue to
their end. Stop a held file with "paydrop decline".`,
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

export const move = actionCommand(
  'move',
  {
    name: 'move',
    about: 'Move the unsent rows of a file to the present account of its folder',
    takes: FILE,
    notes: [
      `For a file that was taken when the name of its account meant another merchant, country or currency. Its unsent
batches are canceled, and their rows come again as a new file, which is checked like any other.`,
    ],
    examples: ['move trial.csv --plan', 'move trial.csv --reason "these are to be charged at the live service"'],
  },
  findIt,
);

export const resubmit = actionCommand(
  'resubmit',
  {
    name: 'resubmit',
    about: 'Drop the certainly uncharged rows of a finished file as a new file',
    takes: FILE,
    options: [
      ['--only <which>', `${Object.keys(SELECTIONS).join(', ')}; left out, all of them`],
      ['--drop-again', 'write again the file of an earlier resubmission that was never taken'],
    ],
    notes: [
      `The new file is checked, acknowledged and sent like any other. Each row is sent again
once. Never included: approved, pending, unknown, duplicate and invalid rows, and
declined rows whose code forbids another try. The service is asked again
about rows that were missing from its reports.`,
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
      about: 'Generate the output files of a file again and compare them byte for byte',
      takes: FILE,
      options: [
        ['--restore', 'write files missing from the out folder again'],
        ['--out <folder>', 'write all of them there; left out, they are only compared'],
      ],
      notes: [
        `Existing files in the out folder are never
changed. Exit status 5 when a file is missing or differs.`,
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

const NUMBER_ARGUMENT = ['<no>', 'its number, as "paydrop proposals" lists it'] as const;

const findProposal: FindByWords = async (ledger, _settings, words) => {
  if (!/^[1-9]\d{0,14}$/.test(words))
    throw new PipelineError('USAGE', 'find a proposal', `"${words}" is not the number of a proposal`, {
      next: 'See "paydrop proposals".',
    });
  const proposal = await readProposal(ledger, Number(words));
  return { kind: 'proposal', proposal, file: await readFileOf(ledger, proposal) };
};

export const confirm = actionCommand(
  'confirm',
  {
    name: 'confirm',
    about: 'Confirm what another person has proposed; it is done at once',
    takes: [NUMBER_ARGUMENT],
    notes: [
      'The person who proposed it cannot confirm it. If the file or batch has changed since, it is void and nothing is done.',
    ],
    examples: ['confirm 7'],
  },
  findProposal,
);

export const refuse = actionCommand(
  'refuse',
  {
    name: 'refuse',
    about: 'Refuse a proposal, or withdraw your own',
    takes: [NUMBER_ARGUMENT],
    examples: ['refuse 7 --reason "the sender wants it back"'],
  },
  findProposal,
);
