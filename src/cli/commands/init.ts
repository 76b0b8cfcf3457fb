import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { makeFolders } from '../../kernel/folders.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { CONFIG_FILE, loadSettings, type Settings } from '../../config/config.ts';
import { describeKeyPlace, findKeyPlace, type KeyPlace } from '../../crypto/key-place.ts';
import { createMasterKeyFile } from '../../crypto/master-key.ts';
import { ask, hasPerson, systemTerminal, type Terminal } from '../call/terminal.ts';
import type { CliCommand } from '../command.ts';
import { openAsIs } from '../doctor/doctor.ts';
import { readRunning } from '../doctor/work.ts';
import { systemClock } from '../../kernel/clock.ts';
import { packageRoot } from '../package-version.ts';
import { paydropLine, quoteWord } from '../print/paydrop-line.ts';
import { AccountName } from '../../../schemas/config.ts';
import { COUNTRIES, type Country } from '../../../schemas/layouts.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import { FOLDER_OPERATIONS, type FolderOperation, type Server } from '../../../schemas/operations.ts';
import { findRestriction } from '../../../schemas/restrictions.ts';
import { sayOut } from '../print/say.ts';

export const init: CliCommand = {
  name: 'init',
  about: 'Prepare a folder: paydrop.yaml, drop folders, master key. Keeps existing files',
  takes: [['[folder]', 'the folder; left out, the one of --dir']],
  options: [['--interactive', 'ask for the account, its country and the folders']],
  examples: ['init', 'init /srv/paydrop', 'init /srv/paydrop --interactive'],
  async run(call) {
    const root = resolve(call.arguments[0] ?? call.dir);
    const isNew = !existsSync(join(root, CONFIG_FILE));
    const setup = isNew && call.options['interactive'] ? await askSetup(systemTerminal()) : USUAL_SETUP;
    if (isNew) await writeStarterConfig(root, setup);
    const settings = loadSettings(root, process.env, call.features);
    await makeOurs(settings);
    if (isNew) await makeFolders(sandboxFolder(settings), 0o700);
    const place = findKeyPlace(settings, process.env);
    if (place.kind === 'file' && !existsSync(place.path)) createMasterKeyFile(place.path);
    const running = isNew ? undefined : await describeRunning(settings);
    const next = running ?? nextSteps(settings, isNew ? setup : undefined);
    sayOut([describePlace(settings, isNew), next, ABOUT_CHANGES, describeKey(place)].join('\n\n'));
    return EXIT.ok;
  },
};

/** For a newcomer who goes on from the first folder. */
const ABOUT_CHANGES = `After a change of ${CONFIG_FILE} run init again: it makes new folders and says whether a running paydrop uses them.
Folders and alarms are taken up within seconds. After any other change, such as one of an account, restart paydrop.`;

/** Says whether running processes use the configuration as it is; undefined when none runs, or the ledger is away. */
async function describeRunning(settings: Settings): Promise<string | undefined> {
  const opened = await openAsIs(settings, systemClock);
  if ('trouble' in opened) return undefined;
  try {
    const { stale, processes } = await readRunning(opened.ledger, settings);
    if (processes === 0) return undefined;
    if (stale.length === 0) return 'paydrop is running and uses this configuration.';
    return stale.map(({ what, why, next }) => `${what}: ${why}. ${next}`).join('\n');
  } catch {
    // A ledger of an earlier version knows no processes; the next start adds what is missing.
    return undefined;
  } finally {
    await opened.ledger.close();
  }
}

/** Writes the configuration, readable by its owner only because it may hold passwords. */
async function writeStarterConfig(root: string, setup: Setup): Promise<void> {
  await makeFolders(root);
  await writeFile(join(root, CONFIG_FILE), starterConfig(setup), { mode: 0o600, flag: 'wx' });
}

/** Where the sandbox keeps its books. In memory, they would not survive a restart, and results would never come. */
function sandboxFolder({ paths }: Settings): string {
  return join(paths.data, 'sandbox');
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

/**
 * Returns lines that work as pasted.
 * @param setup what the starter configuration was made from; the sandbox and the sample fit only that
 */
function nextSteps(settings: Settings, setup: Setup | undefined): string {
  const { root, paths, folders } = settings;
  const dir = root === process.cwd() ? [] : ['--dir', root];
  const start = [paydropLine([...dir, 'start']), 'watches the folders, until Ctrl-C'];
  const steps = setup
    ? [
        [paydropLine(['sandbox', '--data', sandboxFolder(settings)]), 'the service for trying, in another terminal'],
        start,
        [
          `cp ${quoteWord(join(packageRoot(), 'samples', sampleFor(setup)))} ${quoteWord(folders[0]!.path)}`,
          `in a third terminal; the result arrives in ${paths.out}`,
        ],
      ]
    : [start];
  const width = Math.max(...steps.map(([line = '']) => line.length));
  return ['Next:', ...steps.map(([line = '', what]) => `  ${line.padEnd(width)}  # ${what}`)].join('\n');
}

function describeKey(keys: KeyPlace): string {
  const place = keys.kind === 'file' ? keys.path : describeKeyPlace(keys);
  return `Keep a copy of the key in ${place} in a safe place: without it no sealed data can be opened.`;
}

/**
 * Asks for the first account, its country and its folders. An empty answer means what is in brackets; one that does not
 * fit is asked for again.
 * @throws PipelineError USAGE without a terminal, or when the user leaves
 */
export async function askSetup(terminal: Terminal): Promise<Setup> {
  if (!hasPerson(terminal))
    throw new PipelineError('USAGE', 'ask', 'this is no terminal', { next: 'Leave out --interactive.' });
  const account = await askFor(terminal, 'Name of the merchant account', USUAL_SETUP.account, (text) =>
    AccountName.safeParse(text).success ? text : undefined,
  );
  const country = await askFor(terminal, `Its country: ${COUNTRIES.join(', ')}`, USUAL_SETUP.country, (text) =>
    COUNTRIES.find((one) => one === text.toUpperCase()),
  );
  const offered = operationsIn(country);
  const operations = await askFor(terminal, 'Drop folders, separated by commas', offered.join(','), (text) => {
    const names = new Set(text.split(',').map((name) => name.trim()));
    const chosen = offered.filter((name) => names.has(name));
    return chosen.length === names.size ? chosen : undefined;
  });
  return { account, country, operations };
}

async function askFor<Value>(
  terminal: Terminal,
  question: string,
  usual: string,
  read: (text: string) => Value | undefined,
): Promise<Value> {
  for (;;) {
    const text = (await ask(terminal, `${question} [${usual}]: `)).trim();
    const value = read(text === '' ? usual : text);
    if (value !== undefined) return value;
    terminal.output.write(`"${maskText(text)}" does not fit.\n`);
  }
}

/** What `paydrop init` must know of the first account. */
type Setup = {
  readonly account: string;
  readonly country: Country;
  readonly operations: readonly FolderOperation[];
};

/** What follows from the country of an account, unless the user changes it; and a sample of card payments. */
const COUNTRY_SETTINGS: Readonly<
  Record<Country, { server: Server; currency: string; timeZone: string; cardSample: string }>
> = {
  US: { server: 'NA', currency: 'USD', timeZone: 'America/New_York', cardSample: 'card/card.csv' },
  CA: { server: 'NA', currency: 'CAD', timeZone: 'America/Toronto', cardSample: 'card-canada/card-ca.csv' },
  UK: { server: 'UK', currency: 'GBP', timeZone: 'Europe/London', cardSample: 'card/card.csv' },
};

/** Returns what the service offers in a country. */
export function operationsIn(country: Country): readonly FolderOperation[] {
  const { server } = COUNTRY_SETTINGS[country];
  const all = Object.keys(FOLDER_OPERATIONS) as FolderOperation[];
  return all.filter((name) => findRestriction({ operation: FOLDER_OPERATIONS[name].operation, server }) === undefined);
}

export const USUAL_SETUP: Setup = { account: 'main', country: 'US', operations: operationsIn('US') };

/** Returns the sample for the first folder, by its path in samples/. */
export function sampleFor({ country, operations: [first = 'card'] }: Setup): string {
  return first === 'card' ? COUNTRY_SETTINGS[country].cardSample : `${first}/ach.csv`;
}

/**
 * Returns what `paydrop init` writes. It works with the sandbox unchanged; docs/reference/configuration.md has every
 * setting.
 */
export function starterConfig({ account, country, operations }: Setup): string {
  const { server, currency, timeZone } = COUNTRY_SETTINGS[country];
  const folders = operations.map(
    (operation) => `  - path: drop/${operation}\n    account: ${account}\n    operation: ${operation}\n`,
  );
  return `# paydrop: see docs/reference/configuration.md for every setting and its default.

accounts:
  ${account}:
    server: ${server}                        # NA or UK
    country: ${country}                       # US, CA or UK: decides the card layout
    currency: ${currency}
    timeZone: ${`${timeZone} `.padEnd(24)}# in which people of this account read times
    # The account of the sandbox. For the real service: remove baseUrl and poll, and write the secrets as
    # env:NAME or file:PATH, so that they do not stand here.
    agentCode: TEST88
    password: TEST88
    baseUrl: http://127.0.0.1:8899
    poll: { firstMs: 1000 }           # the sandbox is quick

folders:
${folders.join('')}`;
}
