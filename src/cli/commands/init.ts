import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { makeFolders } from '../../kernel/make-folders.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { CONFIG_FILE, loadSettings, type Settings } from '../../config/config.ts';
import { describeKeyPlace, findKeyPlace, type KeyPlace } from '../../crypto/key-place.ts';
import { createMasterKeyFile } from '../../crypto/master-key.ts';
import type { CliCommand } from '../command.ts';
import { packageRoot } from '../package-version.ts';
import { paydropLine, quoteWord } from '../print/paydrop-line.ts';

export const init: CliCommand = {
  name: 'init',
  about: 'Prepare a folder: paydrop.yaml, drop folders, master key. Keeps existing files',
  takes: [['[folder]', 'the folder; left out, the one of --dir']],
  examples: ['init', 'init /srv/paydrop'],
  async run(call) {
    const root = resolve(call.arguments[0] ?? call.dir);
    const isNew = await writeStarterConfig(root);
    const settings = loadSettings(root, process.env);
    await makeOurs(settings);
    const place = findKeyPlace(settings, process.env);
    if (place.kind === 'file' && !existsSync(place.path)) createMasterKeyFile(place.path);
    console.log([describePlace(settings, isNew), nextSteps(settings, isNew), describeKey(place)].join('\n\n'));
    return EXIT.ok;
  },
};

/**
 * Writes the configuration, readable by its owner only because it may hold passwords.
 * @returns false when one exists, which is kept
 */
async function writeStarterConfig(root: string): Promise<boolean> {
  await makeFolders(root);
  const config = join(root, CONFIG_FILE);
  if (existsSync(config)) return false;
  await writeFile(config, STARTER_CONFIG, { mode: 0o600, flag: 'wx' });
  return true;
}

/** Closes the folders to other users: drops hold whole card numbers. The operator admits senders by hand. */
async function makeOurs({ paths, folders }: Settings): Promise<void> {
  const dirs = [paths.data, paths.out, paths.quarantine, ...folders.map((folder) => folder.path)];
  for (const dir of dirs) await makeFolders(dir, 0o700);
}

function describePlace({ root, folders }: Settings, isNew: boolean): string {
  const drops = folders.map((folder) => relative(root, folder.path)).join(', ');
  return `${isNew ? 'Made' : 'Kept'} ${join(root, CONFIG_FILE)}\nDrop files into: ${drops}`;
}

/** Returns lines that work as pasted. The sample fits the starter configuration only. */
function nextSteps({ root, paths, folders }: Settings, isNew: boolean): string {
  const dir = root === process.cwd() ? [] : ['--dir', root];
  const sample = join(packageRoot(), 'samples', 'card', 'card.csv');
  const steps = isNew
    ? [
        [paydropLine(['sandbox']), 'the sandbox payment service; in another terminal'],
        [`cp ${quoteWord(sample)} ${quoteWord(folders[0]!.path)}`, '24 payments'],
        [paydropLine([...dir, 'run', '--once']), `the result arrives in ${paths.out}`],
        [paydropLine([...dir, 'start']), 'keeps watching, until Ctrl-C'],
      ]
    : [[paydropLine([...dir, 'start']), 'watches the folders, until Ctrl-C']];
  const width = Math.max(...steps.map(([line = '']) => line.length));
  return ['Next:', ...steps.map(([line = '', what]) => `  ${line.padEnd(width)}  # ${what}`)].join('\n');
}

function describeKey(keys: KeyPlace): string {
  const place = keys.kind === 'file' ? keys.path : describeKeyPlace(keys);
  return `Keep a copy of the key in ${place} in a safe place: without it no sealed data can be opened.`;
}

/**
 * What `paydrop init` writes. It works with the sandbox unchanged; docs/reference/configuration.md has every setting.
 */
export const STARTER_CONFIG = `# paydrop: see docs/reference/configuration.md for every setting and its default.

accounts:
  main:
    server: NA                        # NA or UK
    country: US                       # US, CA or UK: decides the card layout
    currency: USD
    timeZone: America/New_York        # in which people of this account read times
    # The account of the sandbox. For the real service: remove baseUrl and poll, and write the secrets as
    # env:NAME or file:PATH, so that they do not stand here.
    agentCode: TEST88
    password: TEST88
    baseUrl: http://127.0.0.1:8899
    poll: { firstMs: 1000 }           # the sandbox is quick

folders:
  - path: drop/card
    account: main
    operation: card
  - path: drop/ach-charge
    account: main
    operation: ach-charge
  - path: drop/ach-refund
    account: main
    operation: ach-refund
`;
