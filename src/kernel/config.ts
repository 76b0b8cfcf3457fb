import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { Config, type AccountConfig, type FolderConfig } from '../../schemas/config.ts';
import { columnsOf, LAYOUTS } from '../../schemas/layouts.ts';
import { FOLDER_OPERATIONS } from '../../schemas/operations.ts';
import { findRestriction } from '../../schemas/restrictions.ts';
import { PipelineError, reasonOf } from './errors.ts';
import { isTimeZone } from './zone-time.ts';

export const CONFIG_FILE = 'paydrop.yaml';

/** An account with its secrets read. The password is held in memory only. */
export type Account = Omit<AccountConfig, 'agentCode' | 'password'> & {
  name: string;
  agentCode: string;
  password: string;
};

/** A drop folder with absolute paths. `id` is its path as configured: it stands in the ledger and the logs. */
export type Folder = Omit<FolderConfig, 'path' | 'work'> & { id: string; path: string; work: string };

/** The configuration as the program uses it: checked, paths absolute, environment read. */
export type Settings = Omit<Config, 'accounts' | 'folders' | 'paths'> & {
  root: string;
  accounts: ReadonlyMap<string, Account>;
  folders: readonly Folder[];
  paths: { out: string; quarantine: string; data: string; archive: string; journal: string; masterKey: string };
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  logLevel: string;
};

/**
 * Reads `paydrop.yaml` in a folder and the environment. Every fault of the configuration is named at once.
 * @throws PipelineError CONFIG_MISSING, CONFIG_INVALID, RESTRICTED
 */
export function loadSettings(root: string, env: NodeJS.ProcessEnv): Settings {
  const file = join(resolve(root), CONFIG_FILE);
  if (!existsSync(file)) throw new PipelineError('CONFIG_MISSING', `read "${file}"`);
  return resolveSettings(parseConfig(readFileSync(file, 'utf8'), file), resolve(root), env);
}

function parseConfig(text: string, file: string): Config {
  const document = parseDocument(text);
  const [broken] = document.errors;
  if (broken) throw new PipelineError('CONFIG_INVALID', `read "${file}"`, broken.message.split('\n')[0]);
  const parsed = Config.safeParse(document.toJS());
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`);
  throw new PipelineError('CONFIG_INVALID', `use "${file}"`, faults.join('; '));
}

/** Turns a checked configuration into settings. Also used by the demo and by tests, which have no file. */
export function resolveSettings(config: Config, root: string, env: NodeJS.ProcessEnv): Settings {
  const { accounts, folders, paths, ...rest } = config;
  const data = resolve(root, paths.data);
  const settings: Settings = {
    ...rest,
    root,
    accounts: new Map(Object.entries(accounts).map(([name, account]) => [name, readAccount(name, account, root, env)])),
    folders: folders.map((folder) => ({
      ...folder,
      id: folder.path,
      path: resolve(root, folder.path),
      work: resolve(root, folder.work ?? join(paths.data, 'work')),
    })),
    paths: {
      out: resolve(root, paths.out),
      quarantine: resolve(root, paths.quarantine),
      data,
      archive: join(data, 'archive'),
      journal: join(data, 'journal', 'sends.jsonl'),
      masterKey: join(data, 'master.key'),
    },
    databaseUrl: env['DATABASE_URL'] || undefined,
    redisUrl: env['REDIS_URL'] || undefined,
    logLevel: env['PAYDROP_LOG_LEVEL'] || 'info',
  };
  checkFolders(settings);
  return settings;
}

function readAccount(name: string, account: AccountConfig, root: string, env: NodeJS.ProcessEnv): Account {
  if (!isTimeZone(account.timeZone)) {
    throw new PipelineError('CONFIG_INVALID', `use account "${name}"`, `"${account.timeZone}" is not a time zone`);
  }
  return {
    ...account,
    name,
    agentCode: readSecret(account.agentCode, `accounts.${name}.agentCode`, root, env),
    password: readSecret(account.password, `accounts.${name}.password`, root, env),
  };
}

/** `env:NAME`, `file:PATH`, or the text itself. Errors name the place, never the value. */
function readSecret(text: string, setting: string, root: string, env: NodeJS.ProcessEnv): string {
  const [, kind, place = ''] = /^(env|file):(.+)$/.exec(text) ?? [];
  if (!kind) return text;
  const value = kind === 'env' ? env[place] : readSecretFile(resolve(root, place), setting);
  if (value) return value;
  throw new PipelineError('CONFIG_INVALID', `read ${setting}`, `${kind} "${place}" is empty or missing`);
}

function readSecretFile(path: string, setting: string): string {
  try {
    if ((statSync(path).mode & 0o077) !== 0) {
      throw new PipelineError('CONFIG_INVALID', `read ${setting}`, `"${basename(path)}" may be read by others`, {
        next: 'Set its mode to 0600.',
      });
    }
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof PipelineError) throw error;
    throw new PipelineError('CONFIG_INVALID', `read ${setting}`, reasonOf(error));
  }
}

/**
 * What the tables say about a folder and its account is checked before anything starts: an ACH folder on a UK account
 * would only fail at its first file, at night.
 */
function checkFolders({ folders, accounts }: Settings): void {
  for (const folder of folders) {
    const account = accounts.get(folder.account);
    if (!account) {
      throw new PipelineError('CONFIG_INVALID', `use folder "${folder.id}"`, `there is no account "${folder.account}"`);
    }
    const { operation } = FOLDER_OPERATIONS[folder.operation];
    const restriction = findRestriction({ operation, server: account.server });
    if (restriction) {
      throw new PipelineError('RESTRICTED', `use folder "${folder.id}" with account "${account.name}"`, restriction.replace(/\.$/, ''));
    }
    if (folder.layout) checkLayout(folder, account);
  }
  const paths = folders.map((folder) => folder.path);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice) throw new PipelineError('CONFIG_INVALID', `use folder "${twice}"`, 'it is configured twice');
}

function checkLayout(folder: Folder, account: Account): void {
  const row: { operations: readonly string[]; countries?: readonly string[] } = LAYOUTS[folder.layout!];
  const fits = row.operations.includes(folder.operation) && (row.countries?.includes(account.country) ?? true);
  if (fits) return;
  const reason = `layout "${folder.layout}" (${columnsOf(folder.layout!).length} columns) is not for ${folder.operation} in ${account.country}`;
  throw new PipelineError('CONFIG_INVALID', `use folder "${folder.id}"`, reason);
}
