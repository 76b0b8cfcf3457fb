import type { Settings } from '../config/config.ts';

type Accounts = Pick<Settings, 'accounts'>;

/** The zone in which people of an account read times. One that has left the configuration is told in UTC. */
export function zoneOf({ accounts }: Accounts, account: string): string {
  return accounts.get(account)?.timeZone ?? 'UTC';
}

/** The zone for what belongs to no account: that of all accounts, or UTC where they differ. */
export function sharedZone({ accounts }: Accounts): string {
  const zones = new Set([...accounts.values()].map(({ timeZone }) => timeZone));
  const [zone] = zones;
  return zone !== undefined && zones.size === 1 ? zone : 'UTC';
}
