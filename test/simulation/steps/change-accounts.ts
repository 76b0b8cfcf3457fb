import type { Account, Folder } from '../../../src/config/config.ts';
import { isWide } from '../hosts/installation.ts';
import type { World } from '../world.ts';
import { type Step, tell } from './step.ts';

/**
 * Changes of paydrop.yaml by which the same merchants get other names. Every instance ends; the next one binds anew,
 * and may die while it does. Agent codes stay those of the service, by which the books are compared.
 */
export const ACCOUNT_STEPS: readonly Step[] = [
  step('an account is renamed', () => true, rename),
  step('a merchant gets a second name', ({ settings }) => settings.accounts.size < 4, addName),
  step('merchants of two accounts are exchanged', (world) => exchangeable(world) !== undefined, exchange),
];

type Accounts = ReadonlyMap<string, Account>;

function step(name: string, isPossible: Step['isPossible'], change: (world: World) => string): Step {
  return {
    name,
    weight: 0.7,
    // An older ledger has older names, under which an instance that lives on uses nothing.
    isPossible: (world) => !isWide(world) && isPossible(world),
    take: async (world) => {
      while (world.instances[0]) await world.remove(world.instances[0]);
      tell(world, change(world));
    },
  };
}

/** Puts a configuration in place, for the instances that start from now on. */
function configure(world: World, accounts: Accounts, folders: readonly Folder[]): void {
  world.settings = { ...world.settings, accounts, folders };
  for (const host of world.installation.hosts) host.settings = { ...host.settings, accounts, folders };
}

function rename(world: World): string {
  const { accounts, folders } = world.settings;
  const before = world.choose.one([...accounts.keys()]);
  const name = freeName(world);
  configure(
    world,
    new Map([...accounts].map(([old, account]) => (old === before ? [name, { ...account, name }] : [old, account]))),
    folders.map((folder) => (folder.account === before ? { ...folder, account: name } : folder)),
  );
  return `account ${before} is renamed to ${name}`;
}

/** Some folders of the account go over to the second name. */
function addName(world: World): string {
  const { accounts, folders } = world.settings;
  const first = world.choose.one([...accounts.keys()]);
  const name = freeName(world);
  configure(
    world,
    new Map([...accounts, [name, { ...accounts.get(first)!, name }]]),
    folders.map((folder) =>
      folder.account === first && world.choose.happens(0.5) ? { ...folder, account: name } : folder,
    ),
  );
  return `the merchant of account ${first} gets a second name, ${name}`;
}

function exchange(world: World): string {
  const { accounts, folders } = world.settings;
  const [one, other] = exchangeable(world)!;
  const meanings = new Map(accounts);
  meanings.set(one.name, { ...other, name: one.name });
  meanings.set(other.name, { ...one, name: other.name });
  configure(world, meanings, folders);
  return `accounts ${one.name} and ${other.name} exchange their merchants`;
}

/** Returns two accounts with merchants of one server; folders of the others have operations that it does not know. */
function exchangeable({ settings }: World): [Account, Account] | undefined {
  const accounts = [...settings.accounts.values()];
  for (const one of accounts) {
    const other = accounts.find(({ server, agentCode }) => server === one.server && agentCode !== one.agentCode);
    if (other) return [one, other];
  }
  return undefined;
}

/** Returns a name that no account has; one that an account had before comes back at times. */
function freeName({ settings, choose }: World): string {
  return choose.one(['us', 'ca', 'uk', 'cards', 'dues'].filter((name) => !settings.accounts.has(name)));
}
