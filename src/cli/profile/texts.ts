import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { EXIT } from '../../../schemas/errors.ts';
import { ProfileName } from '../../../schemas/profiles.ts';
import { faultText, findFaults } from '../../actions/profile/read-text.ts';
import { parseProfile } from '../../csv/profile/profile-text.ts';
import type { Folder, Settings } from '../../config/config.ts';
import { pickVersion, readProfile } from '../../explain/read-profiles.ts';
import { counted } from '../../kernel/counted.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { maskName, maskText } from '../../kernel/mask.ts';
import { act, actionCommand, type FindByWords } from '../action-command.ts';
import { type CliCommand, JSON_OPTION, print, settingsOf, withLedger } from '../command.ts';

const TEXT_ARGUMENT = ['<file>', 'text of the profile, as YAML'] as const;

/** A file as the accounting system writes it. */
export const SAMPLE_ARGUMENT = ['<sample>', 'file of the accounting system, unchanged'] as const;

/** Names a profile, and with `@2` one of its versions. */
export const PROFILE_ARGUMENT = ['<name[@version]>', 'profile; with @2 its version 2'] as const;

export const check: CliCommand = {
  name: 'check',
  about: 'List the faults in the text of a profile',
  takes: [TEXT_ARGUMENT],
  options: [['--folder <folder>', 'also check it for the operation and account of this folder'], JSON_OPTION],
  notes: ['Nothing is recorded. Exit status 1 when there are faults.'],
  examples: ['profile check dues.yaml', 'profile check dues.yaml --folder drop/dues'],
  async run(call) {
    const text = (await readInput(call.arguments[0]!)).toString();
    const { folder } = call.options;
    const settings = folder === undefined ? undefined : settingsOf(call);
    const folders = settings ? [folderNamed(settings, String(folder))] : [];
    const faults = findFaults(settings ?? { accounts: new Map() }, folders, text);
    print(call, { faults }, () => (faults.length === 0 ? 'No faults.' : faults.map(faultText).join('\n')));
    return faults.length === 0 ? EXIT.ok : EXIT.usage;
  },
};

/** @throws PipelineError NOT_FOUND */
export function folderNamed({ folders }: Settings, id: string): Folder {
  const found = folders.find((folder) => folder.id === id);
  if (found) return found;
  const next = `There are: ${folders.map((folder) => folder.id).join(', ')}.`;
  throw new PipelineError('NOT_FOUND', `use folder "${maskText(id)}"`, 'it is not in the configuration', { next });
}

/** Finds the profile of an action; it may have no version yet. */
export const findProfile: FindByWords = async (_ledger, _settings, words) => {
  const { name } = splitName(words);
  const parsed = ProfileName.safeParse(name);
  if (parsed.success) return { kind: 'profile', profile: parsed.data };
  const next = 'Use lower-case letters, digits and hyphens.';
  throw new PipelineError('USAGE', `use profile "${maskText(name)}"`, 'a profile cannot have that name', { next });
};

export const importText: CliCommand = {
  ...actionCommand(
    'import-profile',
    {
      name: 'import',
      about: 'Record the text of a profile in the ledger, as a draft that reads nothing yet',
      takes: [TEXT_ARGUMENT],
      options: [['--name <name>', 'name of the profile; left out, that in the text, or else that of the file']],
      notes: ['Importing the same text again changes nothing.'],
      examples: ['profile import dues.yaml --reason "new export of June"', 'profile import dues.yaml --plan'],
    },
    findProfile,
  ),
  run: async (call) => {
    const [path = ''] = call.arguments;
    const file = { name: basename(path), bytes: await readInput(path) };
    const name = String(call.options['name'] ?? nameIn(file.bytes) ?? basename(path, extname(path)));
    return act({ ...call, arguments: [name] }, 'import-profile', findProfile, { filled: {}, file });
  },
};

function nameIn(bytes: Buffer): string | undefined {
  const parsed = parseProfile(bytes.toString());
  return 'profile' in parsed ? parsed.name : undefined;
}

export const exportText: CliCommand = {
  name: 'export',
  about: 'Print the text of a version, to keep it beside the configuration or to change it',
  takes: [PROFILE_ARGUMENT],
  options: [JSON_OPTION],
  notes: ['Without a version, that of the confirmed one, or else of the newest.'],
  examples: ['profile export dues > dues.yaml', 'profile export dues@2'],
  async run(call) {
    const { name, version } = splitName(call.arguments[0]!);
    const versions = await withLedger(call, (ledger) => readProfile(ledger, name));
    const { text, ...about } = pickVersion(versions, version);
    print(call, { name, version: about.version, sha256: about.sha256, text }, () => text.trimEnd());
    return EXIT.ok;
  },
};

/** Splits `dues@2` into the name and the number of a version. */
export function splitName(words: string): { name: string; version?: string } {
  const [name = '', version] = words.split('@');
  return { name, ...(version !== undefined && { version }) };
}

/** Far more than any sample or text needs. */
const LARGEST_BYTES = 50 * 1024 * 1024;

/** @throws PipelineError USAGE for a file that cannot be read, or is far too large */
export async function readInput(path: string): Promise<Buffer> {
  const action = `read "${maskName(basename(path))}"`;
  try {
    const bytes = await readFile(path);
    if (bytes.length <= LARGEST_BYTES) return bytes;
  } catch (error) {
    const code = systemCode(error);
    const why: Readonly<Record<string, string>> = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' };
    throw new PipelineError('USAGE', action, why[code ?? ''] ?? code);
  }
  throw new PipelineError('USAGE', action, `it has more than ${counted(LARGEST_BYTES, 'byte')}`);
}
