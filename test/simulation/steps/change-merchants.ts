import type { Account } from '../../../src/config/config.ts';
import { answerAddress, listAddressQuestions } from '../../../src/ledger/merchant/answer-address.ts';
import { isWide } from '../hosts/installation.ts';
import { moveService, payeeOfAccount, type Service, serviceAt, serviceOf } from '../services.ts';
import { liveCode, type World } from '../world.ts';
import { configure, freeName, meaningOf, withAccount } from './configure.ts';
import { dropAgain } from './drop-file.ts';
import { type Step, tell } from './step.ts';

/**
 * Changes of paydrop.yaml by which a name comes to mean another merchant, country or currency, or the same merchant at
 * another address. What was taken before stays with whom it was taken for.
 */
export const MERCHANT_STEPS: readonly Step[] = [
  step('an account goes live', 1.2, () => true, goLive),
  step('a service moves to another address', 0.7, () => true, moveAddress),
  step('an account gets another country or currency', 0.7, () => true, changeMeaning),
  step('a former merchant gets a name again', 0.5, hasFormer, nameFormer),
  step('a person answers about an address', 6, ({ unanswered }) => unanswered.size > 0, answerQuestion),
];

function step(
  name: string,
  weight: number,
  isPossible: Step['isPossible'],
  take: (world: World) => Promise<string>,
): Step {
  return { name, weight, isPossible, take: async (world) => void tell(world, await take(world)) };
}

/**
 * A trial ends, or begins anew: the account is set to the other service, with the agent code of the trial or one of its
 * own. Its senders often drop for real what they had dropped before.
 */
async function goLive(world: World): Promise<string> {
  const { choose, services } = world;
  const account = choose.one([...world.settings.accounts.values()]);
  const from = serviceOf(services, account);
  const to = await services.open(from.name === 'trial' ? 'live' : 'trial');
  const agentCode = choose.happens(0.6) ? account.agentCode : otherCode(account.agentCode);
  const where = await useAt(world, account, to, agentCode);
  tell(world, `account ${account.name} goes over to the ${to.name} service as ${agentCode}${where}`);
  const folders = world.settings.folders.filter((folder) => folder.account === account.name).map(({ id }) => id);
  const drops = world.drops.filter(({ folder }) => folders.includes(folder));
  if (drops.length > 0 && world.drops.length < 8 && choose.happens(0.7)) await dropAgain(world, drops);
  return 'that was for real';
}

function otherCode(agentCode: string): string {
  return agentCode.startsWith('LIVE') ? agentCode.replace('LIVE', 'AGENT') : liveCode(agentCode);
}

/** The service is reached at another address from now on, with all that it has taken. */
async function moveAddress(world: World): Promise<string> {
  const account = world.choose.one([...world.settings.accounts.values()]);
  const service = serviceOf(world.services, account);
  const before = service.address;
  moveService(service);
  const where = await useAt(world, account, service, account.agentCode);
  return `the ${service.name} service of account ${account.name} moves from ${before} to ${service.address}${where}`;
}

/** Sets the account, or every name of its agent code, to a service. Notes whether paydrop has to ask about that. */
async function useAt(world: World, account: Account, to: Service, agentCode: string): Promise<string> {
  const { services, settings, choose } = world;
  const isKnown = await isBound(world, account);
  const wereBound = await findBoundAddresses(world, account.server, agentCode);
  const isAlone = choose.happens(0.5);
  let { accounts } = settings;
  for (const each of accounts.values()) {
    const isSame = payeeOfAccount(services, each) === payeeOfAccount(services, account);
    if (each.name === account.name || (isSame && !isAlone))
      accounts = withAccount({ accounts }, each.name, { agentCode, baseUrl: to.address });
  }
  const isAsked =
    isKnown &&
    !wereBound.includes(to.address) &&
    wereBound.some((address) => serviceAt(services, address).saysSandbox === to.saysSandbox);
  // A ledger that goes back forgets who was known where.
  if (isAsked && !isWide(world)) world.unanswered.add(placeOf({ agentCode, baseUrl: to.address }));
  return configure(world, { accounts });
}

/** Returns whether a process has started with the account as it is. */
async function isBound(world: World, account: Account): Promise<boolean> {
  return (await findBoundAddresses(world, account.server, account.agentCode)).includes(account.baseUrl!);
}

/** Returns the addresses at which the ledger knows an agent code, by its own record. */
async function findBoundAddresses({ office, payees }: World, server: string, agentCode: string): Promise<string[]> {
  const marks = [...payees].filter(([, payee]) => payee.endsWith(`:${agentCode}`)).map(([mark]) => mark);
  const { rows } = await office.pool.query<{ address: string }>(
    'SELECT address FROM merchant_address WHERE mark = ANY ($1) AND server = $2 AND address IS NOT NULL ORDER BY address',
    [marks, server],
  );
  return rows.map(({ address }) => new URL(address).origin);
}

/** Names an agent code at an address, as in World.unanswered. */
export function placeOf({ agentCode, baseUrl }: Pick<Account, 'agentCode' | 'baseUrl'>): string {
  return `${agentCode} at ${baseUrl}`;
}

async function changeMeaning(world: World): Promise<string> {
  const { choose, settings } = world;
  const account = choose.one([...settings.accounts.values()]);
  const change = choose.one(othersOf(account));
  const where = await configure(world, { accounts: withAccount(settings, account.name, change) });
  return `account ${account.name} is for ${Object.values(change).join(' and ')} from now on${where}`;
}

function othersOf({ server, country, currency }: Account): Partial<Pick<Account, 'country' | 'currency'>>[] {
  if (server === 'UK') return [{ currency: currency === 'GBP' ? 'EUR' : 'GBP' }];
  const other = { country: country === 'US' ? 'CA' : 'US', currency: currency === 'USD' ? 'CAD' : 'USD' } as const;
  return [{ country: other.country }, { currency: other.currency }, other];
}

function hasFormer(world: World): boolean {
  return world.settings.accounts.size < 5 && formerOf(world).length > 0;
}

/** Returns what accounts meant that no account means now. */
function formerOf(world: World): Account[] {
  const present = [...world.settings.accounts.values()].map((account) => meaningOf(world, account));
  return world.former.filter((account) => !present.includes(meaningOf(world, account)));
}

async function nameFormer(world: World): Promise<string> {
  const name = freeName(world);
  const account = world.choose.one(formerOf(world));
  const where = await configure(world, {
    accounts: new Map([...world.settings.accounts, [name, { ...account, name }]]),
  });
  return `what account ${account.name} meant before gets the name ${name}${where}`;
}

/** Gives a name to everything that an account meant before: the way out for what was sent for it. */
export async function nameAllFormer(world: World): Promise<void> {
  while (formerOf(world).length > 0) tell(world, await nameFormer(world));
}

/** A person who knows whether the service moved answers what is asked. */
async function answerQuestion(world: World): Promise<string> {
  const questions = await listAddressQuestions(world.office);
  if (questions.length === 0) return 'a person would answer about an address, and is not asked';
  const { account, before, address } = world.choose.one(questions);
  const hasMoved = before !== null && serviceAt(world.services, before) === serviceAt(world.services, address);
  const because = { actor: 'operator:ada', reason: 'asked the service' };
  const names = await answerAddress(world.office, account, hasMoved, because);
  const { origin } = new URL(address);
  for (const place of world.unanswered) if (place.endsWith(` at ${origin}`)) world.unanswered.delete(place);
  world.totals.count('acts', hasMoved ? 'answer that the service moved' : 'answer that it is another service');
  return `a person answers for ${names.join(' and ')}: the service ${hasMoved ? 'moved' : 'is another one'}`;
}

/** Answers everything that is asked, so that work can come to an end. */
export async function answerAll(world: World): Promise<void> {
  while ((await listAddressQuestions(world.office)).length > 0) tell(world, await answerQuestion(world));
}
