import { EXIT } from '../../../schemas/errors.ts';
import { shownVersion } from '../../actions/profile/profile-actions.ts';
import { diffVersions, listProfiles, pickVersion, type ProfileLine, readProfile } from '../../explain/read-profiles.ts';
import { formatCents } from '../../kernel/money.ts';
import type { ProfileRow } from '../../ledger/engine/records.ts';
import { actionCommand } from '../action-command.ts';
import { type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { labelLines } from '../print/label-lines.ts';
import { tableOf } from '../print/table.ts';
import { confirmVersion } from './confirm.ts';
import { preview } from './preview.ts';
import { suggest } from './suggest.ts';
import { check, exportText, findProfile, importText, PROFILE_ARGUMENT, splitName } from './texts.ts';

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
