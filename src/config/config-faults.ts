import { dirname, join, sep } from 'node:path';
import { SiteName } from '../../schemas/config.ts';
import { columnsOf, LAYOUTS } from '../../schemas/layouts.ts';
import { FOLDER_OPERATIONS } from '../../schemas/operations.ts';
import { CURRENCY_MOPS, findRestriction, RESTRICTION_MESSAGES } from '../../schemas/restrictions.ts';
import { counted } from '../kernel/counted.ts';
import { didYouMean } from './nearest.ts';
import { isLoopback } from '../kernel/is-loopback.ts';
import type { Account, AlarmTarget, Folder, Settings } from './config.ts';
import { LOG_LEVELS } from '../kernel/log.ts';
import { isTimeZone } from '../calendar/zone-time.ts';

/** A fault of a setting, by its path in the file. `restricted`: the service does not offer it. */
export type ConfigFault = { readonly path: string; readonly reason: string; readonly restricted?: true };

/**
 * Finds everything that well-formed settings can still get wrong. It runs before anything starts. Otherwise an ACH
 * folder on a UK account, for example, would fail only at its first file, at night.
 */
export function findConfigFaults(settings: Settings): ConfigFault[] {
  return [
    ...findEnvironmentFaults(settings),
    ...[...settings.accounts.values()].flatMap(findAccountFaults),
    ...settings.folders.flatMap((folder, index) => findFolderFaults(folder, `folders.${index}`, settings.accounts)),
    ...findScheduleFaults(settings),
    ...findPathFaults(settings),
    ...settings.alarms.flatMap((target, index) => findAlarmFaults(target, `alarms.${index}`)),
  ];
}

function findEnvironmentFaults({ logLevel, site, otlpUrl, otlpShare }: Settings): ConfigFault[] {
  const faults: ConfigFault[] = [];
  if (!LOG_LEVELS.some((level) => level === logLevel))
    faults.push({ path: 'PAYDROP_LOG_LEVEL', reason: `"${logLevel}" is none of ${LOG_LEVELS.join(', ')}` });
  if (!SiteName.safeParse(site).success)
    faults.push({ path: 'PAYDROP_SITE', reason: `"${site}" is not a name of lowercase letters, digits and hyphens` });
  if (otlpUrl !== undefined && !/^https?:$/.test(protocolOf(otlpUrl)))
    faults.push({ path: 'PAYDROP_OTLP_URL', reason: 'it is not an address that begins with http:// or https://' });
  if (!(otlpShare >= 0 && otlpShare <= 1))
    faults.push({ path: 'PAYDROP_OTLP_SHARE', reason: 'it is not a number from 0 to 1' });
  return faults;
}

function protocolOf(text: string): string {
  return URL.canParse(text) ? new URL(text).protocol : '';
}

export function missing(what: string, name: string, names: Iterable<string>): string {
  return `there is no ${what} "${name}"${didYouMean(name, names)}`;
}

function noTimeZone(name: string): string {
  return `"${name}" is not a time zone${didYouMean(name, Intl.supportedValuesOf('timeZone'))}`;
}

function findAccountFaults({ name, timeZone, baseUrl }: Account): ConfigFault[] {
  const path = `accounts.${name}`;
  const faults: ConfigFault[] = [];
  if (!isTimeZone(timeZone)) faults.push({ path: `${path}.timeZone`, reason: noTimeZone(timeZone) });
  // The address may hold a password, so it is not repeated.
  const reason = baseUrl === undefined ? undefined : findAddressFault(new URL(baseUrl));
  if (reason !== undefined) faults.push({ path: `${path}.baseUrl`, reason });
  return faults;
}

/** Finds what the gateway would refuse with every call. */
function findAddressFault({ protocol, hostname, username, password, search, hash }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'it does not begin with https://';
  if (username || password) return 'it contains a name or a password; use agentCode and password';
  if (search || hash) return 'it must not have a query (?) or a fragment (#)';
  if (protocol === 'http:' && !isLoopback(hostname))
    return 'card numbers would cross the network unencrypted; use https://';
  return undefined;
}

function findFolderFaults(folder: Folder, path: string, accounts: Settings['accounts']): ConfigFault[] {
  const account = accounts.get(folder.account);
  if (!account) return [{ path: `${path}.account`, reason: missing('account', folder.account, accounts.keys()) }];
  return [
    ...findRestrictions(folder, path, account),
    ...findLayoutFaults(folder, path, account),
    ...findRetentionFaults(folder, path, account),
    ...findEncryptionFaults(folder, path, account),
  ];
}

/** A folder that requires encryption without a key would refuse every file. */
function findEncryptionFaults({ encryption }: Folder, path: string, { name, openpgp }: Account): ConfigFault[] {
  if (encryption === 'optional' || openpgp) return [];
  return [{ path: `${path}.encryption`, reason: `it is required, and account "${name}" has no openpgp` }];
}

/** Earlier payments are found by their fingerprints, which are deleted with the original. */
function findRetentionFaults({ chargedBefore, duplicateDays }: Folder, path: string, account: Account): ConfigFault[] {
  const { days } = account.retention;
  if (chargedBefore === 'off' || days === 0 || duplicateDays <= days) return [];
  const reason = `it looks ${counted(duplicateDays, 'day')} back, and account "${account.name}" keeps files for ${days}`;
  return [{ path: `${path}.duplicateDays`, reason }];
}

/** An address may hold a password or a token, so it is not repeated. */
function findAlarmFaults(target: AlarmTarget, path: string): ConfigFault[] {
  const [name, text, protocols] =
    target.by === 'mail'
      ? (['smtpUrl', target.smtpUrl, ['smtp:', 'smtps:']] as const)
      : (['url', target.url, ['http:', 'https:']] as const);
  if (text === '') return [];
  if (protocols.every((known) => known !== protocolOf(text)))
    return [{ path: `${path}.${name}`, reason: `it is not an address that begins with ${protocols.join('// or ')}//` }];
  return target.by === 'mail' && new URL(text).search !== ''
    ? [{ path: `${path}.${name}`, reason: 'it must not have a query (?)' }]
    : [];
}

/** Returns restrictions in the service's own words. */
function findRestrictions(folder: Folder, path: string, { name, server, currency }: Account): ConfigFault[] {
  const { operation } = FOLDER_OPERATIONS[folder.operation];
  const restriction =
    findRestriction({ operation, server }) ??
    // Every call needs a method of payment, and this server has none in this currency.
    (folder.operation === 'card' && !CURRENCY_MOPS[server][currency] ? RESTRICTION_MESSAGES.currency : undefined);
  if (!restriction) return [];
  const reason = `${restriction.replace(/\.$/, '')} (${folder.operation} with account "${name}": ${server}, ${currency})`;
  return [{ path: `${path}.operation`, reason, restricted: true }];
}

function findLayoutFaults({ layout, operation }: Folder, path: string, { country }: Account): ConfigFault[] {
  if (!layout) return [];
  const row: { operations: readonly string[]; countries?: readonly string[] } = LAYOUTS[layout];
  if (row.operations.includes(operation) && (row.countries?.includes(country) ?? true)) return [];
  const reason = `"${layout}" (${columnsOf(layout).length} columns) is not for ${operation} in ${country}`;
  return [{ path: `${path}.layout`, reason }];
}

function findScheduleFaults({ schedules, folders, accounts }: Settings): ConfigFault[] {
  const closed = new Set<string>();
  const own = Object.entries(schedules).flatMap(([name, schedule]): ConfigFault[] => {
    const path = `schedules.${name}`;
    const faults = isTimeZone(schedule.timeZone)
      ? []
      : [{ path: `${path}.timeZone`, reason: noTimeZone(schedule.timeZone) }];
    if (schedule.does === 'take') return faults;
    const { account } = schedule;
    if (!accounts.has(account))
      faults.push({ path: `${path}.account`, reason: missing('account', account, accounts.keys()) });
    // The report is named by account and day, and its figures continue from the last one.
    if (closed.has(account))
      faults.push({ path: `${path}.account`, reason: `another schedule closes the day of "${account}"` });
    closed.add(account);
    return faults;
  });
  const taking = Object.keys(schedules).filter((name) => schedules[name]?.does === 'take');
  const named = folders.flatMap(({ schedule }, index) => {
    if (schedule === undefined || taking.includes(schedule)) return [];
    const reason = `no schedule "${schedule}" takes files${didYouMean(schedule, taking)}`;
    return [{ path: `folders.${index}.schedule`, reason }];
  });
  const split = Object.keys(schedules)
    .filter((name) => new Set(folders.filter((one) => one.schedule === name).map(({ site }) => site)).size > 1)
    .map((name) => ({
      path: `schedules.${name}`,
      reason: 'its folders are at several sites; give each site its own schedule',
    }));
  return [...own, ...named, ...split];
}

/**
 * Finds paths that conflict. paydrop must not write into a drop folder: it would take a file of rejected rows as a
 * payment file. It would also quarantine a folder with everything in it.
 */
export function findPathFaults(settings: Pick<Settings, 'folders' | 'paths'>): ConfigFault[] {
  const { folders, paths } = settings;
  const { out, quarantine, data } = paths;
  const ours = { out, quarantine, data };
  const owned: { name: string; path: string; site?: string }[] = [
    ...Object.entries(ours).map(([name, path]) => ({ name: `paths.${name}`, path })),
    ...folders.map(({ work, site }, index) => ({ name: `folders.${index}.work`, path: work, site })),
  ];
  const odd = [...owned, ...folders.map((drop, index) => ({ name: `folders.${index}.path`, path: drop.path }))].flatMap(
    ({ name, path }) => {
      if (path.includes('\0')) return [{ path: name, reason: 'it contains a character that paths cannot have' }];
      return NO_FILES.test(path) ? [{ path: name, reason: 'the operating system reserves this place' }] : [];
    },
  );
  const shared = [
    ...Object.entries(ours)
      .filter(([name, path]) => name !== 'data' && path === data)
      .map(([name]) => ({ path: `paths.${name}`, reason: 'it is the folder of paths.data, which contains keys' })),
    ...['archive', 'journal', 'postgres'].flatMap((kept) =>
      Object.entries({ out, quarantine })
        .filter(([, path]) => holds(join(data, kept), path))
        .map(([name]) => ({ path: `paths.${name}`, reason: `it is inside the folder "${kept}" of paths.data` })),
    ),
    ...Object.entries({ out, data })
      .filter(([name, path]) => holds(quarantine, path) && (name === 'out' || path !== quarantine))
      .map(([name]) => ({ path: 'paths.quarantine', reason: `paths.${name} is inside it and would count as a drop` })),
  ];
  const inOurs = folders.flatMap((drop, index) =>
    Object.entries(ours)
      .filter(([, path]) => drop.path !== path && liesInside(drop.path, path))
      .map(([name]) => ({ path: `folders.${index}.path`, reason: `it is inside the folder of paths.${name}` })),
  );
  const inDrops = folders.flatMap((drop, index) => [
    ...owned
      .filter(({ path, site }) => (site ?? drop.site) === drop.site && liesInside(path, drop.path))
      .map(({ name }) => insideFault(name, drop)),
    ...folders.flatMap((other, place) => {
      // At another site the same path is another folder.
      if (other.site !== drop.site) return [];
      const name = `folders.${place}.path`;
      if (other.path === drop.path)
        return place > index ? [{ path: name, reason: `"${other.id}" is configured twice` }] : [];
      return liesInside(other.path, drop.path) ? [insideFault(name, drop)] : [];
    }),
  ]);
  return [...odd, ...shared, ...inOurs, ...inDrops, ...findWorkFaults(settings)];
}

/**
 * Finds work folders that conflict. Anything in a work folder that is not a claim moves to quarantine, a folder with
 * all its content. Everything in quarantine counts as a quarantined drop. So neither may hold another folder in use.
 */
function findWorkFaults({ folders, paths }: Pick<Settings, 'folders' | 'paths'>): ConfigFault[] {
  const { out, quarantine, data, archive, journal } = paths;
  const ours = [out, quarantine, data, archive, dirname(journal), join(data, 'postgres')];
  return folders.flatMap(({ work, site }, index) => {
    const drops = folders.filter((other) => other.site === site).map(({ path }) => path);
    const works = folders.map((other) => other.work).filter((other) => other !== work);
    const inside = [...ours, ...drops, ...works].find((other) => holds(work, other));
    const around = [out, quarantine, archive, dirname(journal), join(data, 'postgres')].find(
      (one) => one !== data && holds(one, work),
    );
    if (inside === undefined && around === undefined) return [];
    const how = inside === undefined ? `it is inside "${around}"` : `"${inside}" is inside it`;
    return [{ path: `folders.${index}.work`, reason: `${how}; a work folder may contain only claimed files` }];
  });
}

/** Returns whether a path is a folder or lies in it, including names with a leading dot. */
function holds(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** System folders, which take no files. The exception is shared memory. */
const NO_FILES = /^\/(?:proc|sys|dev(?!\/shm\/))(?:\/|$)/;

function insideFault(path: string, drop: Folder): ConfigFault {
  return { path, reason: `it is inside the drop folder "${drop.id}"` };
}

/**
 * Returns whether a path is a folder or lies in it; both must be absolute and normalized. Names with a leading dot do
 * not count, because drop folder listings skip them.
 */
export function liesInside(path: string, folder: string): boolean {
  return holds(folder, path) && !path.startsWith('.', folder.endsWith(sep) ? folder.length : folder.length + 1);
}
