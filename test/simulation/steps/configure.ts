import type { Account, Settings } from '../../../src/config/config.ts';
import { isWide } from '../hosts/installation.ts';
import { payeeOfAccount } from '../services.ts';
import type { World } from '../world.ts';

/** What steps change of paydrop.yaml. */
export type Change = Partial<Pick<Settings, 'accounts' | 'folders' | 'batch'>>;

/**
 * Puts a configuration in place. Every process ends; the next one binds its accounts anew, and may die while it does. Of
 * several hosts some may still have the older one when they start again.
 * @returns words for the story: which hosts have it
 */
export async function configure(world: World, change: Change): Promise<string> {
  const { choose, installation } = world;
  noteFormer(world, change.accounts);
  world.settings = { ...world.settings, ...change };
  installation.timesConfigured += 1;
  while (world.instances[0]) await world.remove(world.instances[0]);
  if (!isWide(world) || choose.happens(0.6)) {
    spreadSettings(world);
    return '';
  }
  const some = choose.shuffle(installation.hosts).slice(0, choose.between(1, installation.hosts.length));
  for (const host of some) host.settings = { ...host.settings, ...change };
  return `, on ${some.map(({ name }) => name).join(' and ')}`;
}

/** Gives every host the present configuration. Processes that run keep the one with which they started. */
export function spreadSettings({ installation, settings: { accounts, folders, batch } }: World): void {
  for (const host of installation.hosts) host.settings = { ...host.settings, accounts, folders, batch };
}

/** Records meanings that no name will have any more. */
function noteFormer(world: World, next: ReadonlyMap<string, Account> | undefined): void {
  if (!next) return;
  for (const account of world.settings.accounts.values()) {
    const isKept = [account, ...world.former].filter((one) => meaningOf(world, one) === meaningOf(world, account));
    if (isKept.length === 1) world.former.push(account);
  }
}

/** Returns who is charged, in which country and currency: what an account means to the ledger, wherever its service is. */
export function meaningOf({ services }: World, account: Account): string {
  return [payeeOfAccount(services, account), account.country, account.currency].join(' ');
}

/** Gives a configured account other settings. */
export function withAccount(
  { accounts }: Pick<Settings, 'accounts'>,
  name: string,
  change: Partial<Account>,
): Settings['accounts'] {
  return new Map([...accounts].map(([each, account]) => [each, each === name ? { ...account, ...change } : account]));
}

/** Returns a name that no account has; one that an account had before comes back at times. */
export function freeName({ settings, choose }: World): string {
  const names = ['us', 'ca', 'uk', 'cards', 'dues', 'rent', 'fees', 'gifts', 'club', 'shop', 'tours', 'books'];
  const free = names.filter((name) => !settings.accounts.has(name));
  return choose.one(free.slice(0, 4));
}
