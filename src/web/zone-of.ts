import { isTimeZone, sharedZone } from '../calendar/zone-time.ts';
import type { Settings } from '../config/config.ts';
import type { Viewer } from './access/viewer.ts';

type Accounts = Pick<Settings, 'accounts'>;

/** Returns the zone in which an account's times are shown; UTC when it is no longer configured. */
export function zoneOf({ accounts }: Accounts, account: string): string {
  return accounts.get(account)?.timeZone ?? 'UTC';
}

/** Returns the zone of all times that a person sees: their own choice, otherwise the shared one. */
export function zoneOfViewer({ settings = {} }: Pick<Viewer, 'settings'>, accounts: Accounts): string {
  const { timeZone } = settings;
  // Another version of Node.js may know other zones than the one that took the choice.
  return timeZone !== undefined && isTimeZone(timeZone) ? timeZone : sharedZone(accounts);
}
