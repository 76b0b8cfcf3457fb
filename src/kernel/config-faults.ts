import { relative } from 'node:path';
import { columnsOf, LAYOUTS } from '../../schemas/layouts.ts';
import { FOLDER_OPERATIONS } from '../../schemas/operations.ts';
import { CURRENCY_MOPS, findRestriction, RESTRICTION_MESSAGES } from '../../schemas/restrictions.ts';
import type { Account, Folder, Settings } from './config.ts';
import { LOG_LEVELS } from './log.ts';
import { isTimeZone } from './zone-time.ts';

/** Something wrong with a setting, by its path in the file. `restricted`: the service does not offer it. */
export type ConfigFault = { readonly path: string; readonly reason: string; readonly restricted?: true };

/**
 * Everything that settings of the right shape can still get wrong. It is asked before anything starts, because an ACH
 * folder on a UK account, say, would otherwise fail only at its first file, at night.
 */
export function findConfigFaults(settings: Settings): ConfigFault[] {
  return [
    ...findEnvironmentFaults(settings),
    ...[...settings.accounts.values()].flatMap(findAccountFaults),
    ...settings.folders.flatMap((folder, index) =>
      findFolderFaults(folder, `folders.${index}`, settings.accounts.get(folder.account)),
    ),
    ...findScheduleFaults(settings),
    ...findPathFaults(settings),
  ];
}

function findEnvironmentFaults({ logLevel }: Settings): ConfigFault[] {
  if (LOG_LEVELS.some((level) => level === logLevel)) return [];
  return [{ path: 'PAYDROP_LOG_LEVEL', reason: `"${logLevel}" is none of ${LOG_LEVELS.join(', ')}` }];
}

function findAccountFaults({ name, timeZone }: Account): ConfigFault[] {
  if (isTimeZone(timeZone)) return [];
  return [{ path: `accounts.${name}.timeZone`, reason: `"${timeZone}" is not a time zone` }];
}

function findFolderFaults(folder: Folder, path: string, account: Account | undefined): ConfigFault[] {
  if (!account) return [{ path: `${path}.account`, reason: `there is no account "${folder.account}"` }];
  return [...findRestrictions(folder, path, account), ...findLayoutFaults(folder, path, account)];
}

/** The service's own words for what it does not offer (spec 7). */
function findRestrictions(folder: Folder, path: string, { name, server, currency }: Account): ConfigFault[] {
  const { operation } = FOLDER_OPERATIONS[folder.operation];
  const restriction =
    findRestriction({ operation, server }) ??
    // No call is made without a method of payment, and this server has none in this currency.
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
      : [{ path: `${path}.timeZone`, reason: `"${schedule.timeZone}" is not a time zone` }];
    if (schedule.does === 'take') return faults;
    const { account } = schedule;
    if (!accounts.has(account)) faults.push({ path: `${path}.account`, reason: `there is no account "${account}"` });
    // The report is named by account and day, and its figures go on where the last one ended.
    if (closed.has(account))
      faults.push({ path: `${path}.account`, reason: `another schedule closes the day of "${account}"` });
    closed.add(account);
    return faults;
  });
  const named = folders.flatMap(({ schedule }, index) =>
    schedule === undefined || (Object.hasOwn(schedules, schedule) && schedules[schedule]?.does === 'take')
      ? []
      : [{ path: `folders.${index}.schedule`, reason: `there is no schedule "${schedule}" that does take` }],
  );
  return [...own, ...named];
}

/**
 * Nothing that paydrop writes may land in a drop folder: a file of rejected rows would be taken as a payment file, and
 * a folder would be moved to quarantine with all that is in it.
 */
function findPathFaults({ folders, paths }: Settings): ConfigFault[] {
  const { out, quarantine, data } = paths;
  const owned = [
    ...Object.entries({ out, quarantine, data }).map(([name, path]) => ({ name: `paths.${name}`, path })),
    ...folders.map(({ work }, index) => ({ name: `folders.${index}.work`, path: work })),
  ];
  return folders.flatMap((drop, index) => [
    ...owned.filter(({ path }) => liesInside(path, drop.path)).map(({ name }) => insideFault(name, drop)),
    ...folders.flatMap((other, place) => {
      const name = `folders.${place}.path`;
      if (other.path === drop.path)
        return place > index ? [{ path: name, reason: `"${other.id}" is configured twice` }] : [];
      return liesInside(other.path, drop.path) ? [insideFault(name, drop)] : [];
    }),
  ]);
}

function insideFault(path: string, drop: Folder): ConfigFault {
  return { path, reason: `it lies in the drop folder "${drop.id}"` };
}

/** Whether a path is a folder or lies in it. Names with a dot are passed over when a drop folder is listed. */
function liesInside(path: string, folder: string): boolean {
  return !relative(folder, path).startsWith('.');
}
