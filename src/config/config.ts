import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { type AccountConfig, type AlarmConfig, Config, type FolderConfig, USUAL_CALLS } from '../../schemas/config.ts';
import { HOME_SITE } from '../../schemas/jobs.ts';
import type { Feature } from '../feature.ts';
import { faultyError, type Place, placeOfSetting } from './config-place.ts';
import { explainIssue, type ShapeFault } from './explain-issue.ts';
import { type ConfigFault, findConfigFaults } from './config-faults.ts';
import { type DashboardSettings, type ListenAddress, readDashboard, readListenAddress } from './config-dashboard.ts';
import { readOpenPgp, readSecret, valueOrFault } from './config-secret.ts';
import { findLeftOut, withSecretsOfFeatures } from './feature-settings.ts';
import { type FileStamp, markSections, type SectionMarks, stampOf } from './sections.ts';
import { PipelineError, reasonOf, systemCode } from '../kernel/errors.ts';

declare module '../feature.ts' {
  interface Feature {
    /** Finds what its well-formed settings can still get wrong. */
    settingFaults?(settings: Settings): readonly ConfigFault[];
  }
}

export const CONFIG_FILE = 'paydrop.yaml';

/** An account with its secrets read. Password and keys stay in memory only. */
export type Account = Omit<AccountConfig, 'agentCode' | 'password'> & {
  name: string;
  agentCode: string;
  password: string;
};

/**
 * A drop folder with absolute paths. `id` appears in the ledger and the logs: its configured path, after its site
 * unless that is the usual one.
 */
export type Folder = Omit<FolderConfig, 'path' | 'work' | 'routingCheck'> & {
  id: string;
  path: string;
  work: string;
  routingCheck: boolean;
};

/** A recipient of alarms, with its secrets read. */
export type AlarmTarget = AlarmConfig;

/** The configuration as the program uses it: checked, paths absolute, environment read. */
export type Settings = Omit<
  Config,
  'accounts' | 'folders' | 'paths' | 'monitor' | 'dashboard' | 'journal' | 'concurrency' | 'features'
> & {
  root: string;
  accounts: ReadonlyMap<string, Account>;
  folders: readonly Folder[];
  /** Folders that left the configuration while this process ran. They are not watched; their claimed files go on. */
  leftFolders: readonly Folder[];
  /** The features that are not left out. */
  features: readonly Feature[];
  /** By what a change of each section shows. */
  marks: SectionMarks;
  /** The file as it was read; undefined for settings that did not come from one. */
  source: FileStamp | undefined;
  paths: {
    out: string;
    quarantine: string;
    data: string;
    archive: string;
    journal: string;
    /** The second copy of the send journal. */
    mirror: string | undefined;
    masterKey: string;
  };
  /** Jobs at once of each stage. */
  concurrency: Readonly<Record<keyof Config['concurrency'], number>>;
  /** The site of this process. */
  site: string;
  /** The name of this host in `senders`. */
  host: string;
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  /** Where health and metrics are served; undefined for nowhere. */
  monitor: ListenAddress | undefined;
  /** Where and how the dashboard listens; undefined when it is off. */
  dashboard: DashboardSettings | undefined;
  /** Where traces are sent; undefined for none. */
  otlpUrl: string | undefined;
  /** Share of the files that are traced, 0 to 1. */
  otlpShare: number;
  logLevel: string;
};

/**
 * Reads `paydrop.yaml` in a folder and the environment. It reports all faults of a stage at once, with their paths. The
 * stages are the text, single settings, and settings that contradict each other or the tables.
 * @param installed the features of this build
 * @throws PipelineError CONFIG_MISSING, CONFIG_INVALID, RESTRICTED
 */
export function loadSettings(root: string, env: NodeJS.ProcessEnv, installed: readonly Feature[] = []): Settings {
  const file = configPath(root);
  // Before it is read: a change in between then shows as one.
  const source = stampOf(file);
  const { document, lines, value: given } = parseYaml(readText(file), file);
  const place: Place = (path) => placeOfSetting(document, lines, path);
  const odd = [
    ...pathsWithNul(given).map((path) => ({ path, reason: NUL_FAULT })),
    ...saidTwice(given),
    ...findLeftOut(given),
  ];
  if (odd.length > 0) throw faultyError('CONFIG_INVALID', file, odd, given, place);
  const parsed = Config.safeParse(given);
  if (parsed.success) return { ...resolveSettings(parsed.data, resolve(root), env, { place, installed }), source };
  const faults = parsed.error.issues.flatMap((issue) => explainIssue(issue, given));
  throw faultyError('CONFIG_INVALID', file, faults, given, place);
}

export function configPath(root: string): string {
  return join(resolve(root), CONFIG_FILE);
}

/** What a profile says, so that the settings of its folder must not say it too. */
const SAID_BY_PROFILE = ['header', 'charset', 'layout'];

/** Returns the settings that a folder repeats beside its profile. Their defaults hide them once the file is parsed. */
function saidTwice(given: unknown): ShapeFault[] {
  const folders: unknown = Object(given).folders;
  if (!Array.isArray(folders)) return [];
  return folders.flatMap((folder: unknown, index) =>
    Object(folder).profile === undefined
      ? []
      : SAID_BY_PROFILE.filter((name) => Object.hasOwn(Object(folder), name)).map((name) => ({
          path: ['folders', index, name],
          reason: 'the profile of this folder says it, so take it out here',
        })),
  );
}

const NUL_FAULT = 'it contains a NUL character, which no path, name or secret can have';

/** Returns the paths of texts with a NUL; the operating system would later refuse each with its own message. */
function pathsWithNul(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value === 'string') return value.includes('\0') ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => pathsWithNul(inner, [...path, name]));
}

/** Far more than a thousand folders need; parsing a larger file takes minutes. */
const MOST_CHARACTERS = 2_000_000;

function readText(file: string): string {
  try {
    // A lenient decoder would replace bytes of another character set and so change a password.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    if (text.length <= MOST_CHARACTERS) return text;
  } catch (error) {
    const code = systemCode(error) === 'ENOENT' ? 'CONFIG_MISSING' : 'CONFIG_INVALID';
    const reason = error instanceof TypeError ? 'it is not text in UTF-8' : reasonOf(error);
    throw new PipelineError(code, `read "${file}"`, code === 'CONFIG_MISSING' ? undefined : reason);
  }
  throw new PipelineError('CONFIG_INVALID', `read "${file}"`, 'it is larger than 2 MB');
}

/** Most uses of a part of the file: hundreds of accounts may share one, but aliases of aliases may not multiply. */
const MOST_ALIASES = 10_000;

/**
 * Parses YAML. The parser's messages quote the text, which may be a password that begins with `|` or `*`. So faults
 * give only place and kind. An unknown tag (`!secret`), which the parser drops with a warning, is a fault here.
 */
function parseYaml(text: string, file: string): { document: Document; lines: LineCounter; value: unknown } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const faults = [...document.errors, ...document.warnings].map(({ code, linePos }) => {
    const [start] = linePos ?? [];
    return `line ${start?.line ?? 1}, column ${start?.col ?? 1}: ${code.toLowerCase().replaceAll('_', ' ')}`;
  });
  if (faults.length > 0) throw new PipelineError('CONFIG_INVALID', `read "${file}"`, faults.join('; '));
  try {
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
    // This fails when an alias stands within what it names.
    JSON.stringify(value);
    return { document, lines, value };
  } catch {
    const reason = 'an alias (a text that begins with "*") is undefined, contains itself or is used too often';
    const next = 'Quote the text if it is not an alias.';
    throw new PipelineError('CONFIG_INVALID', `read "${file}"`, reason, { next });
  }
}

/**
 * Turns a well-formed configuration into settings, and checks what its shape cannot express.
 * @param root absolute; paths of the configuration are relative to it
 * @param options.place where settings stand in the file
 * @param options.installed the features of this build
 * @throws PipelineError CONFIG_INVALID, or RESTRICTED when all faults are restrictions of the service
 */
export function resolveSettings(
  config: Config,
  root: string,
  env: NodeJS.ProcessEnv,
  { place = () => undefined, installed = [] }: { place?: Place; installed?: readonly Feature[] } = {},
): Settings {
  const faults: ConfigFault[] = [];
  const features = installed.filter(({ name }) => config.features[name] !== false);
  const settings = { ...toSettings(config, root, env, faults), features };
  faults.push(...findFaults(settings));
  if (faults.length === 0) return settings;
  const code = faults.every((fault) => fault.restricted) ? 'RESTRICTED' : 'CONFIG_INVALID';
  const placed = faults.map(({ path, reason }) => ({ path: path.split('.'), reason }));
  throw faultyError(code, join(root, CONFIG_FILE), placed, config, place);
}

/** Finds everything that well-formed settings can still get wrong. */
export function findFaults(settings: Settings): ConfigFault[] {
  return [...findConfigFaults(settings), ...settings.features.flatMap((one) => one.settingFaults?.(settings) ?? [])];
}

function toSettings(
  config: Config,
  root: string,
  env: NodeJS.ProcessEnv,
  faults: ConfigFault[],
): Omit<Settings, 'features'> {
  const { accounts, folders, paths, monitor, dashboard, journal, concurrency, features: _features, ...plain } = config;
  const data = resolve(root, paths.data);
  const host = env['PAYDROP_HOST'] || hostname();
  const secretOf = (path: string, text: string) => valueOrFault(readSecret(text, root, env), path, faults);
  const rest = withSecretsOfFeatures(plain, secretOf);
  const readAccount = (name: string, account: AccountConfig): Account => ({
    ...account,
    name,
    agentCode: secretOf(`accounts.${name}.agentCode`, account.agentCode),
    password: secretOf(`accounts.${name}.password`, account.password),
    ...(account.openpgp && {
      openpgp: readOpenPgp(account.openpgp, `accounts.${name}.openpgp`, { root, env, faults }),
    }),
  });
  const alarms = config.alarms.map((target, index): AlarmTarget => {
    const read = (name: string, text: string) => secretOf(`alarms.${index}.${name}`, text);
    return target.by === 'mail'
      ? { ...target, smtpUrl: read('smtpUrl', target.smtpUrl) }
      : { ...target, url: read('url', target.url), secret: read('secret', target.secret) };
  });
  return {
    ...rest,
    root,
    alarms,
    leftFolders: [],
    marks: markSections(config),
    source: undefined,
    concurrency: {
      ...concurrency,
      submit: concurrency.submit ?? usualCalls(accounts),
      poll: concurrency.poll ?? usualCalls(accounts),
    },
    accounts: new Map(Object.entries(accounts).map(([name, account]) => [name, readAccount(name, account)])),
    folders: folders.map((folder) => ({
      ...folder,
      id: folder.site === HOME_SITE ? folder.path : `${folder.site}:${folder.path}`,
      path: resolve(root, folder.path),
      work: resolve(root, folder.work ?? join(paths.data, 'work')),
      routingCheck: folder.routingCheck ?? accounts[folder.account]?.country === 'US',
    })),
    paths: {
      out: resolve(root, paths.out),
      quarantine: resolve(root, paths.quarantine),
      data,
      mirror: journal.mirror && join(resolve(root, journal.mirror), `${encodeURIComponent(host)}.jsonl`),
      ...dataPaths(data),
    },
    site: env['PAYDROP_SITE'] || HOME_SITE,
    host,
    databaseUrl: env['DATABASE_URL'] || undefined,
    redisUrl: env['REDIS_URL'] || undefined,
    monitor: readMonitor(monitor, env, faults),
    dashboard: readDashboard(dashboard, { root, env, faults }),
    otlpUrl: env['PAYDROP_OTLP_URL'] || undefined,
    otlpShare: Number(env['PAYDROP_OTLP_SHARE'] || 1),
    logLevel: env['PAYDROP_LOG_LEVEL'] || 'info',
  };
}

/** An account has one call that sends at a time, so more would find nothing to do. */
function usualCalls(accounts: Config['accounts']): number {
  return Math.min(USUAL_CALLS.most, Math.max(USUAL_CALLS.least, Object.keys(accounts).length));
}

/** Returns the paths inside the data folder. */
export function dataPaths(data: string): Pick<Settings['paths'], 'archive' | 'journal' | 'masterKey'> {
  return {
    archive: join(data, 'archive'),
    journal: join(data, 'journal', 'sends.jsonl'),
    masterKey: join(data, 'master.key'),
  };
}

/** Reads where health is served. The environment wins, so that two processes of a folder can listen separately. */
function readMonitor(monitor: Config['monitor'], env: NodeJS.ProcessEnv, faults: ConfigFault[]) {
  const fromEnvironment = env['PAYDROP_MONITOR'];
  const text = fromEnvironment || monitor?.listen;
  if (!text) return undefined;
  const address = readListenAddress(text);
  const path = fromEnvironment ? 'PAYDROP_MONITOR' : 'monitor.listen';
  if (!address) faults.push({ path, reason: `"${text}" is not host:port, such as 127.0.0.1:9464` });
  return address;
}

/** Returns the folders at the site of this process. */
export function foldersHere({ folders, site }: Pick<Settings, 'folders' | 'site'>): readonly Folder[] {
  return folders.filter((folder) => folder.site === site);
}

/** Returns the folders at the site of this process whose claims it works on: those, and the ones that left meanwhile. */
export function claimFoldersHere(settings: Pick<Settings, 'folders' | 'leftFolders' | 'site'>): readonly Folder[] {
  const { folders, leftFolders, site } = settings;
  return foldersHere({ folders: [...folders, ...leftFolders], site });
}
