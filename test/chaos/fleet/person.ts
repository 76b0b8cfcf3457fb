import { copyFile, readFile, rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet, FleetHost } from './open-fleet.ts';

/** The newest journals that still exist, by the names of their hosts. */
export type Copies = ReadonlyMap<string, string>;

const PATIENCE_MS = 600_000;

/** How often an operator looks, in ms. */
const LOOK_MS = 2_000;

const REASON = ['--reason', 'the books of the service were read'] as const;

/**
 * Does what `paydrop sender list` and the hosts' logs ask for, until the ledger is open.
 * @returns what was left undone, or undefined when it is open
 */
export async function waitForOpening(fleet: Fleet, copies: Copies): Promise<string | undefined> {
  const done = new Set<string>();
  let said: string[] = [];
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    if (await opensSoon(fleet)) return undefined;
    said = await readSentences(fleet);
    for (const sentence of said.filter((one) => !done.has(one))) {
      const action = findAction(fleet, sentence, copies);
      if (!action) continue;
      done.add(sentence);
      const trouble = await action();
      if (trouble !== undefined) return trouble;
    }
  }
  return `the ledger is not open after ${PATIENCE_MS} ms: ${said.join(' ')}`;
}

/** Returns whether the ledger opens before an operator looks; mostly it opens by itself. */
async function opensSoon({ ledger }: Fleet): Promise<boolean> {
  for (const end = performance.now() + LOOK_MS; performance.now() < end; await sleep(50)) {
    const [row] = await ledger.query<{ yes: boolean }>('SELECT is_open AND is_of_this_run() AS yes FROM admission');
    if (row!.yes) return true;
  }
  return false;
}

/** Waits until the operator is told to wait for this host. Returns what was seen instead, or undefined. */
export async function waitToBeToldOf(fleet: Fleet, name: string): Promise<string | undefined> {
  let said: string[] = [];
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    if (await opensSoon(fleet)) return `the ledger is open without ${name}`;
    said = await readSentences(fleet);
    if (said.some((sentence) => sentence.startsWith(`Waiting for host ${name},`))) return undefined;
  }
  return `nobody waits for ${name}, but: ${said.join(' ')}`;
}

async function readSentences({ hosts }: Fleet): Promise<string[]> {
  const list = await hosts[0]!.run('sender', 'list', '--json');
  const { waits = [] } = (readJson(list.said) ?? {}) as { waits?: string[] };
  const own = await Promise.all(hosts.filter(({ daemon }) => daemon.isAlive()).map(readOwn));
  return [...waits, ...own.flat()];
}

/** Reads what a host says of its own journal, which stands only in its log. */
async function readOwn(host: FleetHost): Promise<string[]> {
  const lines = (await host.log()).split('\n');
  const last = lines.findLast((line) => /nothing is sent: |the ledger is open/.test(line)) ?? '';
  const [sentence] = /The send journal of this host[^"]*/.exec(last) ?? [];
  return sentence === undefined ? [] : [`${host.name}: ${sentence}`];
}

function readJson(text: string): object | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

type Action = () => Promise<string | undefined>;

/** Returns the action that a sentence asks for, or undefined where only waiting helps. */
function findAction(fleet: Fleet, sentence: string, copies: Copies): Action | undefined {
  const byName = (name: string) => fleet.hosts.find((host) => host.name === name)!;
  const [, awaited] = /^Waiting for host ([^,]+),/.exec(sentence) ?? [];
  if (awaited !== undefined) {
    const host = byName(awaited);
    return host.daemon.isAlive() ? undefined : () => host.start().then(() => undefined);
  }
  const [, missing, owner] = /^The send journal (\w{8}) of host (\S+) is missing/.exec(sentence) ?? [];
  const [, teller, own] =
    /^(\S+): The send journal of this host \((\w{8})\) (?:lacks calls|belongs to host)/.exec(sentence) ?? [];
  const [name, id] = [owner ?? teller, missing ?? own];
  if (name === undefined || id === undefined) return async () => `nobody knows what to do about: ${sentence}`;
  const copy = copies.get(name);
  return copy === undefined ? () => giveUp(fleet, byName(name), id) : () => putBack(fleet, byName(name), copy);
}

async function putBack(fleet: Fleet, host: FleetHost, copy: string): Promise<undefined> {
  await host.daemon.kill();
  await fleet.keepJournal(host);
  await copyFile(copy, `${host.journal}.next`);
  await rename(`${host.journal}.next`, host.journal);
  await host.start();
}

/** Declares a journal lost: the host begins a new one, and the ledger stops waiting for the old one. */
async function giveUp(fleet: Fleet, host: FleetHost, id: string): Promise<string | undefined> {
  const { status, said } = await host.run('sender', 'lost', id, ...REASON);
  if (status !== 5) return `"sender lost ${id}" ended with ${status}: ${said}`;
  if ((await readId(host)) !== id) return undefined;
  await host.daemon.kill();
  await removeJournal(fleet, host);
  await host.start();
  return undefined;
}

/** Reads the id of a host's journal in the short form that sentences use. */
async function readId({ journal }: FleetHost): Promise<string | undefined> {
  const text = await readFile(journal, 'utf8').catch(() => '');
  return /"kind":"begin".*?"journal":"(\w{8})/.exec(text)?.[1];
}

/** Removes a host's journal, after keeping a copy for the checks. */
export async function removeJournal(fleet: Fleet, host: FleetHost): Promise<void> {
  await fleet.keepJournal(host);
  await rm(host.journal);
}

type Stop = { account: string; kind: string; reason: string };

/**
 * Resumes every account that the journals stopped, once all is at rest. Where a journal was lost, the operator first
 * compares the ledger with the books, and cancels what would be sent although it stands there.
 */
export async function letGoOn(fleet: Fleet): Promise<string | undefined> {
  const stops = await fleet.ledger.query<Stop>('SELECT account, kind, reason FROM account_stop ORDER BY account');
  const fault = stops.find(({ kind }) => kind !== 'journal');
  if (fault) return `account ${fault.account} was stopped (${fault.kind}): ${fault.reason}`;
  for (const { account } of stops) {
    const charged = fleet.accounts.compared.has(account) ? await findReadyInBooks(fleet, account) : [];
    for (const words of [
      ...charged.map((batch) => ['cancel', batch]),
      ['account', 'acknowledge', account],
      ['account', 'resume', account],
    ]) {
      const { status, said } = await fleet.hosts[0]!.run(...words, ...REASON);
      if (status !== 0) return `"${words.join(' ')}" ended with ${status}: ${said}`;
    }
  }
  return undefined;
}

/** Finds ready batches that stand in the books. Held files are left out, because nothing of them is sent. */
async function findReadyInBooks({ ledger, service }: Fleet, account: string): Promise<string[]> {
  const ready = await ledger.query<{ batch: string; invoice: string }>(
    `SELECT DISTINCT ON (b.file_id, b.batch_no) b.file_id || '/' || b.batch_no AS batch, r.invoice
     FROM batch b JOIN file f USING (file_id) JOIN payment_row r ON r.file_no = f.file_no AND r.batch_no = b.batch_no
     WHERE b.account = $1 AND b.state = 'ready' AND f.state <> 'held'`,
    [account],
  );
  const booked = new Set((await service.books()).map((row) => row.invoice));
  return ready.filter(({ invoice }) => booked.has(invoice)).map(({ batch }) => batch);
}
