import { basename } from 'node:path';
import { EXIT } from '../../../schemas/errors.ts';
import { shownVersion } from '../../actions/profile/profile-actions.ts';
import { diffVersions, listProfiles, pickVersion, type ProfileLine, readProfile } from '../../explain/read-profiles.ts';
import { formatCents } from '../../kernel/money.ts';
import type { ProfileRow } from '../../ledger/engine/records.ts';
import { act, actionCommand } from '../action-command.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { labelLines, tableOf } from '../print/table.ts';
import { preview } from './preview.ts';
import { suggest } from './suggest.ts';
import { check, exportText, findProfile, importText, PROFILE_ARGUMENT, readInput, splitName } from './texts.ts';
import { reasonOf } from '../../actions/run-action.ts';
import type { Filled } from '../../actions/action.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { ask, hasPerson, systemTerminal, type Terminal } from '../call/terminal.ts';

const list: CliCommand = {
  name: 'list',
  about: 'List the profiles: their folders, the version that reads, and the newest',
  options: [JSON_OPTION],
  examples: ['profile list', 'profile list --json'],
  async run(call) {
    const profiles = await withLedger(call, listProfiles);
    print(call, profiles, () => (profiles.length === 0 ? 'There are no profiles.' : tableOf(profiles, COLUMNS)));
    return EXIT.ok;
  },
};

const COLUMNS: Readonly<Record<string, (line: ProfileLine) => string>> = {
  Profile: ({ name }) => name,
  Folders: ({ folders }) => folders.join(', '),
  Reads: ({ confirmed }) => (confirmed === null ? 'nothing' : `version ${confirmed}`),
  'Confirmed by': ({ confirmedBy }) => confirmedBy ?? '',
  Since: ({ confirmedAt }) => confirmedAt?.toISOString() ?? '',
  Newest: ({ newest, state }) => (newest === null ? state : `version ${newest}, ${state}`),
};

const show: CliCommand = {
  name: 'show',
  about: 'Show the versions of a profile, who made and confirmed them, and the text of one',
  takes: [PROFILE_ARGUMENT],
  options: [JSON_OPTION],
  examples: ['profile show dues', 'profile show dues@2 --json'],
  async run(call) {
    const { name, version } = splitName(call.arguments[0]!);
    const versions = await withLedger(call, (ledger) => readProfile(ledger, name));
    const shown = pickVersion(versions, version);
    print(call, { name, versions: versions.map(shownVersion), shown: shown.version, text: shown.text }, () =>
      [...versions.map(describe), `Text of version ${shown.version}\n\n${shown.text.trimEnd()}`].join('\n\n'),
    );
    return EXIT.ok;
  },
};

function describe(version: ProfileRow): string {
  const { confirmed_by: confirmedBy, confirmed_at: confirmedAt, sample_rows: rows, sample_cents: cents } = version;
  const facts = labelLines([
    ['SHA-256', version.sha256],
    ['Imported', `${version.made_at.toISOString()} by ${version.made_by}`],
    ['Confirmed', confirmedAt ? `${confirmedAt.toISOString()} by ${confirmedBy}` : ''],
    ['With a sample of', cents === null ? '' : `${rows} payments, ${formatCents(cents)}`],
    ['Retired', version.retired_at ? `${version.retired_at.toISOString()} by ${version.retired_by}` : ''],
    ['Reason', version.reason],
  ]);
  return `Version ${version.version}: ${version.state}\n${facts}`;
}

const diff: CliCommand = {
  name: 'diff',
  about: 'Show what differs between two versions of a profile',
  takes: [
    ['<name>', 'profile'],
    ['[from]', 'number of a version; left out, the one that reads'],
    ['[to]', 'number of another; left out, the newest'],
  ],
  options: [JSON_OPTION],
  examples: ['profile diff dues', 'profile diff dues 1 3 --json'],
  async run(call) {
    const [name = '', one, other] = call.arguments;
    const found = await withLedger(call, (ledger) => diffVersions(ledger, name, one, other));
    const { from, to, changes } = found;
    print(call, found, () =>
      changes.length === 0
        ? `Versions ${from} and ${to} do not differ.`
        : [`Version ${from} to ${to}`, ...changes].join('\n'),
    );
    return EXIT.ok;
  },
};

const retire = actionCommand(
  'retire-profile',
  {
    name: 'retire',
    about: 'Let a profile read nothing more; its folders take nothing until another version is confirmed',
    takes: [['<name>', 'profile']],
    examples: ['profile retire dues --reason "the export has changed"'],
  },
  findProfile,
);

const confirmVersion: CliCommand = {
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

export const profile: CliCommand = {
  name: 'profile',
  about: 'Suggest, confirm and compare import profiles, which say how the files of an accounting system are read',
  commands: [suggest, check, importText, exportText, preview, list, show, diff, confirmVersion, retire],
  examples: [
    'profile suggest june.csv --folder drop/dues --name dues',
    'profile import dues.yaml --reason "new export"',
    'profile confirm dues --sample june.csv --reason "new export"',
  ],
};

/** @param terminal where the figures are asked for when the options lack them */
export async function runConfirm(call: Call, terminal: Terminal): Promise<number> {
  const { sample, rows, total, folder, plan, json, reason } = call.options;
  if (!plan) reasonOf(call.features, 'confirm-profile', reason === undefined ? {} : { reason: String(reason) });
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
