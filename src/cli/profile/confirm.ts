import { basename } from 'node:path';
import { reasonOf } from '../../actions/run-action.ts';
import type { Filled } from '../../actions/action.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { act, actionCommand } from '../action-command.ts';
import { ask, hasPerson, systemTerminal, type Terminal } from '../call/terminal.ts';
import type { Call, CliCommand } from '../command.ts';
import { findProfile, PROFILE_ARGUMENT, readInput, splitName } from './texts.ts';

export const confirmVersion: CliCommand = {
  ...actionCommand(
    'confirm-profile',
    {
      name: 'confirm',
      about: 'Let a version read files, after its sample has the figures of the accounting system',
      takes: [PROFILE_ARGUMENT],
      required: [['--sample <file>', 'file of the accounting system, unchanged; it is not kept and not sent']],
      options: [
        ['--rows <number>', 'number of payments in the accounting system; left out, you are asked'],
        ['--total <amount>', 'their total in the accounting system; left out, you are asked'],
        ['--folder <folder>', 'folder of the sample, if several folders name the profile'],
      ],
      notes: [
        `Take both figures from the accounting system, not from the sample. Without a version, the newest
draft is confirmed. Exit status 2 when the sample does not fit or has other figures, and 3 when
another person must confirm it ("paydrop proposals").`,
      ],
      examples: [
        'profile confirm dues --sample june.csv --reason "new export, agreed with Ms Byron"',
        'profile confirm dues@2 --sample june.csv --rows 24 --total 1355.00 --reason "new export"',
      ],
    },
    findProfile,
  ),
  run: (call) => runConfirm(call, systemTerminal()),
};

/** @param terminal where the figures are asked for when the options lack them */
export async function runConfirm(call: Call, terminal: Terminal): Promise<number> {
  const { sample, rows, total, folder, plan, json, reason } = call.options;
  if (!plan) reasonOf('confirm-profile', reason === undefined ? {} : { reason: String(reason) });
  const file = { name: basename(String(sample)), bytes: await readInput(String(sample)) };
  const { version = '' } = splitName(call.arguments[0]!);
  const given: Filled = { version, folder: String(folder ?? '') };
  const confirm = (filled: Filled, asked: Call = call) => act(asked, 'confirm-profile', findProfile, { filled, file });
  if (rows !== undefined && total !== undefined) return confirm({ ...given, rows: String(rows), total: String(total) });
  if (json || !hasPerson(terminal)) throw withoutFigures();
  const figures = {
    ...given,
    rows: String(rows ?? (await ask(terminal, 'Number of payments in your accounting system: '))).trim(),
    total: String(total ?? (await ask(terminal, 'Their total there: '))).trim(),
  };
  const planned = await confirm(figures, { ...call, options: { ...call.options, plan: true } });
  if (plan) return planned;
  const answer = (await ask(terminal, 'To confirm it, type the name of the folder: ')).trim();
  if (answer === '' || (folder !== undefined && answer !== folder)) throw notNamed();
  return confirm({ ...figures, folder: answer });
}

function withoutFigures(): PipelineError {
  return new PipelineError('USAGE', 'confirm the profile', '--rows or --total is missing', {
    next: 'Give both, as your accounting system shows them.',
  });
}

function notNamed(): PipelineError {
  return new PipelineError('USAGE', 'confirm the profile', 'that is not the name of its folder', {
    next: 'Nothing was confirmed.',
  });
}
