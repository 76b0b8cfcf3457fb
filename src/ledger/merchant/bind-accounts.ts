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
  /** The same for the sandbox at that address: what it took is not what a service there took. */
  readonly sandboxMark: string;
  /** Keyed hash of server and agent code. */
  readonly agentMark: string;
  /** Whether the service says that it is a sandbox; undefined when it does not answer. */
  saysSandbox(): Promise<boolean | undefined>;
};

/** What names mean now, as a sentence for the log. */
export type Rebinding = { readonly account: string; readonly says: string };

/** A merchant at an address. One without an agent mark is known from a send journal alone. */
type Place = {
  mark: string;
  address: string | null;
  merchantNo: number;
  agentMark: string | null;
  /** Null while its service has never answered. */
  isSandbox: boolean | null;
};

/** What services say of themselves, by address; undefined when one does not answer. */
type Heard = ReadonlyMap<string, boolean | undefined>;

/**
 * Sets which accounts this process may use: those by which the ledger and its configuration mean the same.
 * @param heard a service that says otherwise than the ledger knows is not used
 */
export async function readBindings(
  ledger: Ledger,
  named: readonly NamedAccount[],
  heard: Heard = new Map(),
): Promise<void> {
  const { accounts, places } = await readKnown(ledger.pool, named);
  ledger.meanings.clear();
  for (const [name, meaning] of accounts) ledger.meanings.set(name, meaning);
  for (const account of named) {
    const row = accounts.get(account.name);
    const place = findOwn(account, places, heard.get(account.address), row);
    const bound = place && boundTo(account, place);
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
 * Each service is asked whether it is a sandbox. One that says otherwise than before is another merchant.
 * @param named all accounts of the configuration
 * @returns what changed
 */
export async function bindAccounts(ledger: Ledger, named: readonly NamedAccount[]): Promise<Rebinding[]> {
  // Before the transaction, because an answer may take seconds.
  const heard = await askWhoIsSandbox(named);
  await readBindings(ledger, named, heard);
  const known = await readKnown(ledger.pool, named);
  const isBound = named.every(({ name }) => ledger.bound.has(name));
  const isNew = named.some(
    ({ name, address }) =>
      heard.get(address) !== undefined &&
      known.places.some(({ merchantNo, isSandbox }) => {
        return isSandbox === null && merchantNo === ledger.bound.get(name)?.merchantNo;
      }),
  );
  const isRenamed = [...known.accounts.values()].some(
    (row) => !ledger.bound.has(row.account) && [...ledger.bound.values()].some((bound) => isSameMeaning(bound, row)),
  );
  if (isBound && !isRenamed && !isNew && !known.isAsked) return [];
  const changes = await transact(ledger, (tx) => bind(tx, named, heard));
  await readBindings(ledger, named, heard);
  return changes;
}

/** Notes which names the ledger has as this process begins. */
export async function noteNamesAtStart({ pool, namesAtStart }: Ledger): Promise<void> {
  const { rows } = await pool.query<{ account: string; since: Date }>('SELECT account, since FROM account');
  for (const { account, since } of rows) namesAtStart.set(account, since);
}

/**
 * Lets accounts whose question was answered take over what stands under names that they replace, as a start would. Names
 * that came or changed after this process began stay: its configuration may be older than theirs.
 * @param answered accounts of this process that have become usable
 * @param names all names of its configuration
 */
export async function takeOverNames(
  ledger: Ledger,
  answered: readonly string[],
  names: readonly string[],
): Promise<Rebinding[]> {
  return transact(ledger, async (tx) => {
    await lockForStop(tx);
    const { rows: present } = await tx.client.query<Present>(
      `SELECT account, merchant_no AS "merchantNo", country, currency FROM account
       WHERE account = ANY ($1)
         OR (account <> ALL ($2) AND (account, since) IN (SELECT * FROM unnest($3::text[], $4::timestamptz[])))`,
      [answered, names, [...ledger.namesAtStart.keys()], [...ledger.namesAtStart.values()]],
    );
    // Another process may have renamed an answered account since its binding was read. Then nothing follows it.
    const wanted = new Map(
      present.flatMap((row) => {
        const bound = answered.includes(row.account) ? ledger.bound.get(row.account) : undefined;
        return bound && isSameMeaning(row, bound) ? [[row.account, bound] as const] : [];
      }),
    );
    return renameAccounts(tx, present, wanted);
  });
}

async function readKnown(client: Pick<Queryable, 'query'>, named: readonly NamedAccount[]) {
  const marks = named.flatMap(({ mark, sandboxMark }) => [mark, sandboxMark]);
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

function boundTo({ country, currency, agentMark }: NamedAccount, { merchantNo, mark }: Place): Bound {
  return { merchantNo, country, currency, mark, agentMark };
}

/**
 * Finds the merchant of an account at its address: the service there, or the sandbox there. If nobody answers, it is the
 * one that the account meant before.
 */
function findOwn(
  { mark, sandboxMark }: NamedAccount,
  places: readonly Place[],
  isSandbox: boolean | undefined,
  before: Present | undefined,
): Place | undefined {
  const own = places.filter((place) => place.agentMark !== null && (place.mark === mark || place.mark === sandboxMark));
  if (isSandbox !== undefined) return own.find((place) => place.mark === (isSandbox ? sandboxMark : mark));
  return own.find(({ merchantNo }) => merchantNo === before?.merchantNo) ?? own[0];
}

async function askWhoIsSandbox(named: readonly NamedAccount[]): Promise<Heard> {
  const byAddress = new Map(named.map((account) => [account.address, account]));
  return new Map(
    await Promise.all([...byAddress.values()].map(async (one) => [one.address, await one.saysSandbox()] as const)),
  );
}

async function bind(tx: Transaction, named: readonly NamedAccount[], heard: Heard): Promise<Rebinding[]> {
  // No send and no other binding overlaps this one.
  await lockForStop(tx);
  const changes: Rebinding[] = [];
  for (const account of named) changes.push(...(await learn(tx, account, heard.get(account.address))));
  const { accounts, places } = await readKnown(tx.client, named);
  await tx.client.query('DELETE FROM address_question WHERE account = ANY ($1)', [named.map(({ name }) => name)]);
  const wanted = new Map<string, Bound>();
  for (const account of named) {
    const isSandbox = heard.get(account.address);
    const before = accounts.get(account.name);
    const own = findOwn(account, places, isSandbox, before);
    const present = { ...account, mark: isSandbox ? account.sandboxMark : account.mark };
    // What a sandbox was sent never counts at another service, so nobody need be asked.
    const doubtful = places.filter(
      (place) =>
        place.agentMark === account.agentMark &&
        place.mark !== present.mark &&
        (isSandbox === undefined || place.isSandbox === null || place.isSandbox === isSandbox),
    );
    if (own) wanted.set(account.name, boundTo(account, own));
    else if (doubtful.length > 0) changes.push(await ask(tx, present, isSandbox ?? false, doubtful, before));
    else {
      const merchant = { ...present, chain: account.name, isSandbox: isSandbox ?? null };
      const place = { ...merchant, merchantNo: await keepMerchant(tx, merchant, FIRST_NAMED) };
      places.push(place);
      wanted.set(account.name, boundTo(account, place));
    }
    changes.push(...sayTurned(tx, account, { isSandbox, before, places, now: wanted.get(account.name) }));
  }
  // What waits for an answer stays as it is.
  const isAsked = (account: string) => !wanted.has(account) && named.some(({ name }) => name === account);
  const present = [...accounts.values()].filter(({ account }) => !isAsked(account));
  return [...changes, ...(await renameAccounts(tx, present, wanted))];
}

/**
 * Records the first answer of a service that did not answer when its merchant became known. If it says that it is a
 * sandbox and nothing was sent, the merchant becomes that of the sandbox. Otherwise a user is asked, because what was sent
 * may have been charged.
 */
async function learn(
  tx: Transaction,
  { name, mark, sandboxMark }: NamedAccount,
  isSandbox: boolean | undefined,
): Promise<Rebinding[]> {
  if (isSandbox === undefined) return [];
  const { rowCount } = await tx.client.query(
    `WITH known AS (
       UPDATE merchant m SET is_sandbox = $3::boolean FROM merchant_address p
       WHERE p.mark = $1 AND m.merchant_no = p.merchant_no AND m.is_sandbox IS NULL AND m.agent_mark IS NOT NULL
         AND (NOT $3 OR NOT EXISTS (SELECT FROM merchant_address other WHERE other.mark = $2)
           AND NOT EXISTS (SELECT FROM forgotten_send g WHERE g.merchant_no = m.merchant_no)
           AND NOT EXISTS (SELECT FROM batch b JOIN attempt a USING (file_id, batch_no)
                           WHERE b.merchant_no = m.merchant_no AND a.verdict IS DISTINCT FROM 'not_sent'))
       RETURNING m.merchant_no)
     UPDATE merchant_address p SET mark = CASE WHEN $3 THEN $2 ELSE $1 END FROM known
     WHERE p.mark = $1 AND p.merchant_no = known.merchant_no`,
    [mark, sandboxMark, isSandbox],
  );
  if (rowCount === 0) return [];
  const says = `the service of account "${name}" says for the first time that it is ${isSandbox ? 'a' : 'no'} sandbox`;
  tx.audit({ actor: 'system', move: 'bind-account', reason: says, evidence: { account: name, isSandbox } });
  return [{ account: name, says }];
}

/** Says of a service that it is a sandbox now and was none before, or the other way round. */
function sayTurned(
  tx: Transaction,
  { name, mark, sandboxMark }: NamedAccount,
  {
    isSandbox,
    before,
    places,
    now,
  }: { isSandbox: boolean | undefined; before: Present | undefined; places: readonly Place[]; now: Bound | undefined },
): Rebinding[] {
  const meant = places.find(
    (place) => place.merchantNo === before?.merchantNo && place.mark === (isSandbox ? mark : sandboxMark),
  );
  if (isSandbox === undefined || !meant || !now || now.merchantNo === meant.merchantNo) return [];
  const says = isSandbox
    ? `the service of account "${name}" says now that it is a sandbox, where nothing is charged; what it was sent before may have been charged`
    : `the service of account "${name}" says no longer that it is a sandbox: what is sent now is charged`;
  tx.audit({ actor: 'system', move: 'bind-account', reason: says, evidence: { account: name, isSandbox } });
  return [{ account: name, says }];
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
  const isSame = place.address === address;
  return {
    account: name,
    says: `account "${name}" is neither taken from nor sent for: its agent code was used at ${describeMerchant(place)} and is now to be used at ${isSandbox ? 'the sandbox ' : ''}${address}${isSame ? ', which did not answer when it was first named' : ''}. Answer "paydrop account address ${name}"`,
  };
}
