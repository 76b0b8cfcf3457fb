import type { Account } from '../../../src/config/config.ts';
import type { World } from '../world.ts';
import { configure, freeName } from './configure.ts';
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

function step(name: string, isPossible: Step['isPossible'], take: (world: World) => Promise<string>): Step {
  return { name, weight: 0.7, isPossible, take: async (world) => void tell(world, await take(world)) };
}

async function rename(world: World): Promise<string> {
  const { accounts, folders } = world.settings;
  const before = world.choose.one([...accounts.keys()]);
  const name = freeName(world);
  const where = await configure(world, {
    accounts: new Map(
      [...accounts].map(([old, account]) => (old === before ? [name, { ...account, name }] : [old, account])),
    ),
    folders: folders.map((folder) => (folder.account === before ? { ...folder, account: name } : folder)),
  });
  return `account ${before} is renamed to ${name}${where}`;
}

/** Some folders of the account go over to the second name. */
async function addName(world: World): Promise<string> {
  const { accounts, folders } = world.settings;
  const first = world.choose.one([...accounts.keys()]);
  const name = freeName(world);
  const where = await configure(world, {
    accounts: new Map([...accounts, [name, { ...accounts.get(first)!, name }]]),
    folders: folders.map((folder) =>
      folder.account === first && world.choose.happens(0.5) ? { ...folder, account: name } : folder,
    ),
  });
  return `the merchant of account ${first} gets a second name, ${name}${where}`;
}

async function exchange(world: World): Promise<string> {
  const meanings = new Map(world.settings.accounts);
  const [one, other] = exchangeable(world)!;
  meanings.set(one.name, { ...other, name: one.name });
  meanings.set(other.name, { ...one, name: other.name });
  const where = await configure(world, { accounts: meanings });
  return `accounts ${one.name} and ${other.name} exchange their merchants${where}`;
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
