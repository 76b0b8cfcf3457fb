import { readFile } from 'node:fs/promises';
import { loadSettings } from '../config/config.ts';
import { besideCore, type Feature } from '../feature.ts';
import { PipelineError } from '../kernel/errors.ts';
import { type CliCommand, usualFolder } from './command.ts';
import { compileLater, keepHeapSmall } from './process/prepare-process.ts';

/** The command table, in the order of `--help`. Loading all of it takes a second, so a command is loaded by its name. */
const COMMANDS = {
  demo: async () => (await import('./demo/demo.ts')).demo,
  init: async () => (await import('./commands/init.ts')).init,
  start: async () => (await import('./process/start.ts')).start,
  run: async () => (await import('./process/run.ts')).run,
  schedule: async () => (await import('./commands/schedule.ts')).schedule,
  profile: async () => (await import('./profile/profile.ts')).profile,
  validate: async () => (await import('./validate/validate.ts')).validate,
  status: async () => (await import('./show/status.ts')).status,
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
  show: async () => (await import('./show/show.ts')).show,
  find: async () => (await import('./show/find.ts')).find,
  exceptions: async () => (await import('./show/exceptions.ts')).exceptions,
  report: async () => (await import('./show/report.ts')).report,
  why: async () => (await import('./show/find.ts')).why,
  approve: async () => (await import('./commands/file-actions.ts')).approve,
  decline: async () => (await import('./commands/file-actions.ts')).decline,
  acknowledge: async () => (await import('./commands/file-actions.ts')).acknowledge,
  proposals: async () => (await import('./show/exceptions.ts')).proposals,
  confirm: async () => (await import('./commands/file-actions.ts')).confirm,
  refuse: async () => (await import('./commands/file-actions.ts')).refuse,
  cancel: async () => (await import('./commands/file-actions.ts')).cancel,
  retry: async () => (await import('./commands/batch-actions.ts')).retry,
  withdraw: async () => (await import('./commands/batch-actions.ts')).withdraw,
  release: async () => (await import('./commands/batch-actions.ts')).release,
  unknown: async () => (await import('./commands/resolve.ts')).unknown,
  resolve: async () => (await import('./commands/resolve.ts')).resolve,
  move: async () => (await import('./commands/file-actions.ts')).move,
  resubmit: async () => (await import('./commands/file-actions.ts')).resubmit,
  reprocess: async () => (await import('./commands/reprocess.ts')).reprocess,
  account: async () => (await import('./commands/account.ts')).account,
  users: async () => (await import('./commands/people.ts')).people,
  requeue: async () => (await import('./commands/batch-actions.ts')).requeue,
  repoll: async () => (await import('./commands/batch-actions.ts')).repoll,
  'rebuild-outputs': async () => (await import('./commands/file-actions.ts')).rebuild,
  audit: async () => (await import('./show/audit.ts')).audit,
  backup: async () => (await import('./commands/backup.ts')).backup,
  restore: async () => (await import('./commands/backup.ts')).restore,
  drill: async () => (await import('./commands/drill.ts')).drill,
  database: async () => (await import('./commands/backup.ts')).database,
  sender: async () => (await import('./commands/sender.ts')).sender,
  key: async () => (await import('./commands/key.ts')).key,
  retention: async () => (await import('./retention/retention.ts')).retention,
  'search-index': async () => (await import('./show/find.ts')).searchIndex,
  call: async () => (await import('./call/call.ts')).call,
  customers: async () => (await import('./call/customers.ts')).customers,
  sandbox: async () => (await import('./commands/sandbox.ts')).sandbox,
  docs: async () => (await import('./show/docs.ts')).docs,
  completion: async () => (await import('./commands/completion.ts')).completion,
} satisfies Record<string, () => Promise<CliCommand>>;

/** Returns the table with the commands of features behind those of the core. */
function tableOf(features: readonly Feature[]): Readonly<Record<string, () => Promise<CliCommand>>> {
  return besideCore<() => Promise<CliCommand>>(
    COMMANDS,
    features.map(({ commands }) => commands),
  );
}

/** Loads the whole table. */
export function loadCommands(features: readonly Feature[]): Promise<readonly CliCommand[]> {
  return Promise.all(Object.values(tableOf(features)).map((load) => load()));
}

/**
 * Loads what the words name: their command where its name comes first, after the folder or `help` at most, or the whole
 * table. Commands of features that the configuration leaves out are not in it.
 * @throws PipelineError NOT_FOUND when they name the command of such a feature
 */
export async function loadNamed(
  words: readonly string[],
  features: readonly Feature[],
): Promise<readonly CliCommand[]> {
  const { name, dir } = readStart(words);
  if (name === 'start') {
    // Before its code is loaded, because both count from the moment they are set.
    keepHeapSmall();
    compileLater();
  }
  if (name !== undefined && isName(name)) return [await COMMANDS[name]()];
  const present = withoutLeftOut(dir, features);
  const table = tableOf(present);
  if (name !== undefined && Object.hasOwn(table, name)) return [await table[name]!()];
  const left = features.find(({ commands = {} }) => name !== undefined && Object.hasOwn(commands, name));
  if (left) {
    const next = 'Take it out of "features" in paydrop.yaml.';
    throw new PipelineError('NOT_FOUND', `run "${name}"`, `the feature "${left.name}" is left out`, { next });
  }
  const isHelp = words.every((word) => !Object.hasOwn(table, word));
  return (isHelp ? await readListed(present) : undefined) ?? loadCommands(present);
}

/** Reads the command and the folder as far as they stand at the beginning. */
function readStart(words: readonly string[]): { name: string | undefined; dir: string } {
  const [first, second, third] = words;
  const usual = usualFolder();
  if (first === 'help') return { name: second, dir: usual };
  if (first === '--dir') return { name: third, dir: second ?? usual };
  return first?.startsWith('--dir=')
    ? { name: second, dir: first.slice('--dir='.length) }
    : { name: first, dir: usual };
}

function isName(word: string): word is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, word);
}

/** Returns the features that the configuration of a folder does not leave out; all where it cannot be read. */
function withoutLeftOut(dir: string, features: readonly Feature[]): readonly Feature[] {
  try {
    return loadSettings(dir, process.env, features).features;
  } catch {
    return features;
  }
}

/**
 * Returns the table from the list that the build makes of it, for words that only ask for help or the version: its
 * commands do not run.
 * @returns undefined when paydrop runs from its source, which has no list
 */
async function readListed(features: readonly Feature[]): Promise<readonly CliCommand[] | undefined> {
  const text = await readFile(new URL('./commands.json', import.meta.url), 'utf8').catch(() => undefined);
  const table = tableOf(features);
  const listed = text === undefined ? [] : (JSON.parse(text) as CliCommand[]);
  return listed.length === 0 ? undefined : listed.filter(({ name }) => Object.hasOwn(table, name));
}
