import type { AccountConfig } from '../../../schemas/config.ts';
import { lockForStop } from '../account/pause-account.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { type Queryable, type Transaction, transact } from '../engine/transaction.ts';
import { type Bound, isSameMeaning } from './bound-accounts.ts';
import { describeMerchant, keepMerchant } from './keep-merchant.ts';
import { type Present, renameAccounts } from './rename-accounts.ts';

/** An account of the configuration, without a secret: whom it means, and where the service is. */
export type NamedAccount = Pick<AccountConfig, 'server' | 'country' | 'currency'> & {
  readonly name: string;
  /** URL of the service. */
  readonly address: string;
  /** Keyed hash of server, address and agent code. */
  readonly mark: string;
  /** Keyed hash of server and agent code. */
  readonly agentMark: string;
  /** Whether the service says that it is a sandbox; undefined when it does not answer. */
  saysSandbox(): Promise<boolean | undefined>;
};

/** What names mean now, as a sentence for the log. */
export type Rebinding = { readonly account: string; readonly says: string };

/** A merchant at an address. One without an agent mark is known from a send journal alone. */
type Place = { mark: string; address: string | null; merchantNo: number; agentMark: string | null; isSandbox: boolean };

/** Sets which accounts this process may use: those by which the ledger and its configuration mean the same. */
export async function readBindings(ledger: Ledger, named: readonly NamedAccount[]): Promise<void> {
  const { accounts, places } = await readKnown(ledger.pool, named);
  ledger.meanings.clear();
  for (const [name, meaning] of accounts) ledger.meanings.set(name, meaning);
  for (const account of named) {
    const place = places.find(({ mark, agentMark }) => mark === account.mark && agentMark !== null);
    const bound = place && boundTo(account, place.merchantNo);
    const row = accounts.get(account.name);
    if (bound && row && isSameMeaning(row, bound)) ledger.bound.set(account.name, bound);
    else ledger.bound.delete(account.name);
  }
}

/**
 * Brings the ledger to what the configuration says of its accounts, and reads the bindings.
 *
 * A name that is new for a merchant that had another takes over its history. A name that comes to mean another merchant,
 * country or currency leaves what was taken before under a name of its own, where nobody sends it. An agent code that is
 * known at another address is asked about: until a user has said whether the service moved, its account is not bound.
 * @param named all accounts of the configuration
 * @returns what changed
 */
export async function bindAccounts(ledger: Ledger, named: readonly NamedAccount[]): Promise<Rebinding[]> {
  await readBindings(ledger, named);
  const known = await readKnown(ledger.pool, named);
  const isBound = named.every(({ name }) => ledger.bound.has(name));
  const isRenamed = [...known.accounts.values()].some(
    (row) => !ledger.bound.has(row.account) && [...ledger.bound.values()].some((bound) => isSameMeaning(bound, row)),
  );
  if (isBound && !isRenamed && !known.isAsked) return [];
  const sandboxes = await askWhoIsSandbox(named, known.places);
  const changes = await transact(ledger, (tx) => bind(tx, named, sandboxes));
  await readBindings(ledger, named);
  return changes;
}

async function readKnown(client: Pick<Queryable, 'query'>, named: readonly NamedAccount[]) {
  const marks = named.map(({ mark }) => mark);
  const agents = named.map(({ agentMark }) => agentMark);
  const names = named.map(({ name }) => name);
  const { rows: accounts } = await client.query<Present>(
    'SELECT account, merchant_no AS "merchantNo", country, currency FROM account',
  );
  const { rows: places } = await client.query<Place>(
    `SELECT p.mark, p.address, m.merchant_no AS "merchantNo", m.agent_mark AS "agentMark", m.is_sandbox AS "isSandbox"
     FROM merchant_address p JOIN merchant m USING (merchant_no) WHERE p.mark = ANY ($1) OR m.agent_mark = ANY ($2)
     ORDER BY p.since DESC, p.mark`,
    [marks, agents],
  );
  const { rowCount } = await client.query('SELECT FROM address_question WHERE account = ANY ($1)', [names]);
  return { accounts: new Map(accounts.map((row) => [row.account, row])), places, isAsked: (rowCount ?? 0) > 0 };
}

function boundTo({ country, currency, mark, agentMark }: NamedAccount, merchantNo: number): Bound {
  return { merchantNo, country, currency, mark, agentMark };
}

/** Asks each new address whether it is a sandbox. Before the transaction, because an answer may take seconds. */
async function askWhoIsSandbox(
  named: readonly NamedAccount[],
  places: readonly Place[],
): Promise<ReadonlyMap<string, boolean | undefined>> {
  const unknown = named.filter(({ mark }) => !places.some((place) => place.mark === mark && place.agentMark !== null));
  return new Map(
    await Promise.all(unknown.map(async (account) => [account.mark, await account.saysSandbox()] as const)),
  );
}

async function bind(
  tx: Transaction,
  named: readonly NamedAccount[],
  sandboxes: ReadonlyMap<string, boolean | undefined>,
): Promise<Rebinding[]> {
  // No send and no other binding overlaps this one.
  await lockForStop(tx);
  const { accounts, places } = await readKnown(tx.client, named);
  await tx.client.query('DELETE FROM address_question WHERE account = ANY ($1)', [named.map(({ name }) => name)]);
  const wanted = new Map<string, Bound>();
  const changes: Rebinding[] = [];
  for (const account of named) {
    const isSandbox = sandboxes.get(account.mark);
    const own = places.find(({ mark }) => mark === account.mark);
    // What a sandbox was sent never counts at another service, so nobody need be asked.
    const doubtful = places.filter(
      (place) =>
        place.agentMark === account.agentMark &&
        place.mark !== account.mark &&
        (isSandbox === undefined || place.isSandbox === isSandbox),
    );
    if (own && own.agentMark !== null) wanted.set(account.name, boundTo(account, own.merchantNo));
    else if (doubtful.length > 0)
      changes.push(await ask(tx, account, isSandbox ?? false, doubtful, accounts.get(account.name)));
    else {
      const merchant = { ...account, chain: account.name, isSandbox: isSandbox ?? false };
      const merchantNo = await keepMerchant(tx, merchant, FIRST_NAMED);
      places.push({ ...account, merchantNo, isSandbox: merchant.isSandbox });
      wanted.set(account.name, boundTo(account, merchantNo));
    }
  }
  // What waits for an answer stays as it is.
  const isAsked = (account: string) => !wanted.has(account) && named.some(({ name }) => name === account);
  const present = [...accounts.values()].filter(({ account }) => !isAsked(account));
  return [...changes, ...(await renameAccounts(tx, present, wanted))];
}

const FIRST_NAMED = { actor: 'system', reason: 'first named in the configuration' };

async function ask(
  tx: Transaction,
  { name, mark, server, address, country, currency }: NamedAccount,
  isSandbox: boolean,
  doubtful: readonly Place[],
  before: Present | undefined,
): Promise<Rebinding> {
  const place = doubtful.find(({ merchantNo }) => merchantNo === before?.merchantNo) ?? doubtful[0]!;
  await tx.client.query(
    `INSERT INTO address_question (account, mark, merchant_no, server, address, is_sandbox, country, currency, asked_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [name, mark, place.merchantNo, server, address, isSandbox, country, currency, tx.at],
  );
  return {
    account: name,
    says: `account "${name}" is neither taken from nor sent for: its agent code was used at ${describeMerchant(place)} and is now to be used at ${address}. Answer "paydrop account address ${name}"`,
  };
}
