import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { randomUUID } from 'node:crypto';
import { reasonOf } from '../../../src/kernel/errors.ts';
import { admit } from '../../../src/ledger/admission/admit.ts';
import { declareLost, retireSender } from '../../../src/ledger/admission/by-person.ts';
import { readAdmission, sayWaits } from '../../../src/ledger/admission/read-admission.ts';
import { acknowledgeForgotten } from '../../../src/ledger/account/pause-account.ts';
import { cancelBatch } from '../../../src/ledger/file/cancel-file.ts';
import { openSendJournal, type SendJournal } from '../../../src/ledger/admission/send-journal.ts';
import { contentOf, readBatches, readBooks } from '../database.ts';
import { pickFrom, shortened } from '../steps/step.ts';
import type { World } from '../world.ts';
import type { Host } from './installation.ts';
import { callsOf, idOf, readLines } from './check-hosts.ts';

const BECAUSE = { actor: 'operator:ada', reason: 'the service was asked what it has' };

/** Something a person does about hosts. `perform` returns it in words, or undefined when there was nothing to do. */
type HostAct = { readonly name: string; readonly perform: (world: World) => Promise<string | undefined> };

export const HOST_ACTS: readonly HostAct[] = [
  {
    name: 'acknowledge forgotten calls',
    perform: async (world) => {
      const account = await pickFrom<string>(
        world,
        'SELECT DISTINCT account AS found FROM forgotten_send WHERE acknowledged_at IS NULL ORDER BY 1',
      );
      if (account === undefined) return undefined;
      await acknowledgeForgotten(world.office, account, BECAUSE);
      return `acknowledges the forgotten calls of ${account}`;
    },
  },
  {
    name: 'report from a journal',
    perform: async (world) => {
      const host = chooseAway(world, ['whole']);
      if (!host) return undefined;
      const said = await reportFor(world, host);
      return `has the send journal of ${host.name} reported: ${said}`;
    },
  },
  {
    name: 'declare a journal lost',
    perform: (world) => helpHost(world, chooseAway(world, ['lost', 'older', 'foreign'])),
  },
  { name: 'find a lost journal', perform: (world) => findLostJournal(world, chooseAway(world, ['lost', 'replaced'])) },
  { name: 'retire a host', perform: retireHost },
];

/** Puts a lost journal back. A replaced one is reported from where it lies, and then waited for like any other. */
export async function findLostJournal(world: World, host: Host | undefined): Promise<string | undefined> {
  if (!host || !existsSync(wholePathOf(host))) return undefined;
  if (host.journal === 'replaced')
    return `finds the lost send journal of ${host.name}: ${await reportFor(world, host, wholePathOf(host))}`;
  for (const instance of world.instances.filter((one) => one.host === host)) await world.remove(instance);
  host.hasBegunAnother ||= existsSync(host.settings.paths.journal);
  await putWholeBack(host);
  return `finds the lost send journal of ${host.name} and puts it back`;
}

function chooseAway(
  { installation, instances, choose }: World,
  journals: readonly Host['journal'][],
): Host | undefined {
  const away = installation.hosts.filter(
    (host) => journals.includes(host.journal) && !instances.some((instance) => instance.host === host),
  );
  return away.length === 0 ? undefined : choose.one(away);
}

/** Does what `sender report --from` does, with the journal of that host read elsewhere. */
async function reportFor(world: World, { settings }: Host, path = settings.paths.journal): Promise<string> {
  return withJournal(path, async (from) => {
    const { notes } = await from.readSelf(settings.host, world.clock);
    const { name } = notes.findLast((note) => note.kind === 'fence' || note.kind === 'begin')!;
    const admission = await admit(world.office, from, { name, senders: settings.senders });
    return 'waits' in admission ? sayWaits(admission.waits).join(' ') : 'the ledger is open';
  });
}

/** Puts the right journal back where it exists; otherwise declares it lost, so that a new one begins. */
export async function helpHost(world: World, host: Host | undefined): Promise<string | undefined> {
  if (!host) return undefined;
  for (const instance of world.instances.filter((one) => one.host === host)) await world.remove(instance);
  if (host.journal === 'foreign') {
    await putWholeBack(host);
    return `puts the right send journal back on host ${host.name}`;
  }
  const { waits } = await readAdmission(world.office);
  if (!waits.some((wait) => wait.includes(` ${host.name}`))) return undefined;
  if (host.journal === 'older') await rm(host.settings.paths.journal);
  await declareLost(world.office, host.name, [...world.settings.accounts.keys()], BECAUSE);
  world.installation.hasVouched = true;
  host.journal = 'replaced';
  return `declares the send journal of host ${host.name} lost`;
}

/**
 * Declares journals lost that nobody has any more: a host began one without its own, and its own was found and put back in
 * its place. It has sent nothing, because the ledger was closed.
 */
export async function loseOverwritten(world: World, host: Host): Promise<string | undefined> {
  const { waits } = await readAdmission(world.office);
  if (!waits.some((wait) => wait.startsWith(`Two send journals have the name ${host.name}.`))) return undefined;
  const present = idOf(await readLines(host));
  const { rows } = await world.office.pool.query<{ journal: string }>(
    `SELECT journal::text FROM sender WHERE name = $1 AND state = 'known' AND journal::text IS DISTINCT FROM $2 ORDER BY 1`,
    [host.name, present],
  );
  for (const { journal } of rows)
    await declareLost(world.office, journal, [...world.settings.accounts.keys()], BECAUSE);
  return rows.length > 0 ? `declares the send journal lost that host ${host.name} had begun` : undefined;
}

/**
 * Returns the retired hosts that a ledger from before may wait for: the journal that took over their calls is not there
 * to say that they were retired.
 */
export function orphaned({ installation: { retired } }: World): Host[] {
  return retired.filter(({ heir }) => heir.journal !== 'whole').map(({ host }) => host);
}

/** Reports from the journal that such a host has left. */
export async function reportOrphan(world: World, host: Host): Promise<string | undefined> {
  const { waits } = await readAdmission(world.office);
  if (!waits.some((wait) => wait.includes(`host ${host.name}`))) return undefined;
  return `has the journal of the retired host ${host.name} reported: ${await reportFor(world, asConfiguredNow(world, host))}`;
}

/** A person reports it on a host that is left, so with its list of senders. */
function asConfiguredNow({ installation }: World, host: Host): Host {
  const { senders } = installation.hosts[0]!.settings;
  return { ...host, settings: { ...host.settings, senders } };
}

/** Cancels ready batches that the service has already, so that they do not leave again when the account is resumed. */
export async function cancelWhatIsBooked(world: World, account: string): Promise<void> {
  const booked = new Set(readBooks(world).map(({ content }) => content));
  for (const batch of await readBatches(world)) {
    if (batch.account !== account || batch.state !== 'ready' || !booked.has(contentOf(world, batch))) continue;
    await cancelBatch(world.office, { fileId: batch.fileId, batchNo: batch.batchNo }, BECAUSE);
  }
}

/** Retires a host. An instance of another host that may send takes over its journal, and it leaves every list. */
async function retireHost(world: World): Promise<string | undefined> {
  const { installation, instances, choose } = world;
  const host = installation.hosts.length > 2 ? chooseAway(world, ['whole']) : undefined;
  const heirs = instances.filter((one) => one.server() === installation.present && one.host.journal === 'whole');
  if (!host || heirs.length === 0 || !choose.happens(0.5)) return undefined;
  const heir = choose.one(heirs);
  const { settings } = heir.host;
  const { pool, ...office } = world.office;
  const said = await withJournal(host.settings.paths.journal, (from) =>
    withJournal(settings.paths.journal, async (own) => {
      const admission = await admit(world.office, own, { name: settings.host, senders: settings.senders });
      const admitted = 'sender' in admission ? { sender: admission.sender } : {};
      return retireSender({ ...office, pool, admitted }, { own, from }, BECAUSE).then(
        () => undefined,
        (error: unknown) => reasonOf(error),
      );
    }),
  );
  if (said !== undefined) return `wants to retire host ${host.name}, which is refused: ${shortened(said)}`;
  host.journal = 'retired';
  installation.retired.push({ host, heir: heir.host });
  installation.hosts.splice(installation.hosts.indexOf(host), 1);
  for (const other of installation.hosts) {
    const senders = other.settings.senders!.filter((name) => name !== host.name);
    other.settings = { ...other.settings, senders };
  }
  while (instances[0]) await world.remove(instances[0]);
  return `retires host ${host.name}; the others start again without it`;
}

async function withJournal<Result>(path: string, work: (journal: SendJournal) => Promise<Result>): Promise<Result> {
  const journal = await openSendJournal(path, { isThere: true });
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}

/** Returns the hosts whose journal is still whole and can be damaged. */
export function damageable({ installation }: World): Host[] {
  return installation.hosts.filter((host) => host.journal === 'whole');
}

/** Loses, cuts or exchanges a journal. Skips damage that no ledger and no other journal could notice. */
export async function damageJournal(world: World): Promise<string> {
  const host = world.choose.one(damageable(world));
  const how = world.choose.one(['lost', 'older', 'of another installation'] as const);
  for (const instance of world.instances.filter((one) => one.host === host)) await world.remove(instance);
  host.isAway = true;
  const { journal: path } = host.settings.paths;
  const states = await readStates(world);
  const lines = await readLines(host);
  const id = idOf(lines);
  const isKnown = id !== undefined && states.every(({ senders }) => senders.includes(id));
  if (!isKnown) return `host ${host.name} is switched off`;
  switch (how) {
    case 'lost':
      await keepWhole(host);
      await rm(path);
      host.journal = 'lost';
      return `host ${host.name} is off, and its send journal is lost`;
    case 'older': {
      const text = await readFile(path, 'utf8');
      const all = text.split('\n');
      const kept = all.slice(0, -world.choose.between(1, 6));
      const left = callsOf(kept.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : [])));
      const isFound = states.every(({ answered }) => answered.some((one) => one.journal === id && !left.has(one.call)));
      if (!isFound) return `host ${host.name} is switched off`;
      await writeFile(path, kept.join('\n'));
      // Without its beginning it is no journal, and another is begun in its place.
      host.journal = idOf(await readLines(host)) === undefined ? 'lost' : 'older';
      return `host ${host.name} is off, and an older copy of its send journal is put back`;
    }
    case 'of another installation': {
      await keepWhole(host);
      await writeFile(path, text(lines, randomUUID()));
      host.journal = 'foreign';
      return `host ${host.name} is off, and the send journal of another installation lies there`;
    }
  }
}

/** Returns where the right journal of a host lies after its own was lost or exchanged. */
function wholePathOf(host: Host): string {
  return `${host.settings.paths.journal}.whole`;
}

async function keepWhole(host: Host): Promise<void> {
  await mkdir(dirname(wholePathOf(host)), { recursive: true });
  await copyFile(host.settings.paths.journal, wholePathOf(host));
}

/** Puts the right journal back in its place. */
async function putWholeBack(host: Host): Promise<void> {
  await rename(wholePathOf(host), host.settings.paths.journal);
  host.journal = 'whole';
}

function text(lines: readonly object[], ledger: string): string {
  return lines.map((line) => `\n${JSON.stringify('ledger' in line ? { ...line, ledger } : line)}`).join('');
}

type State = { senders: string[]; answered: { journal: string; call: string }[] };

/** Returns what each live or kept ledger knows of journals. */
async function readStates({ installation }: World): Promise<State[]> {
  const states = installation.copies.map(({ rows }) => {
    const tables = JSON.parse(rows) as Record<string, Record<string, string | number>[] | null>;
    return stateOf(tables['sender'] ?? [], tables['attempt'] ?? []);
  });
  for (const { office } of installation.servers) {
    const { rows: senders } = await office.pool.query('SELECT journal, epoch FROM sender');
    const { rows: attempts } = await office.pool.query('SELECT journal, call, verdict FROM attempt');
    states.push(stateOf(senders, attempts));
  }
  return states;
}

function stateOf(
  senders: readonly Record<string, string | number>[],
  attempts: readonly Record<string, string | number>[],
): State {
  return {
    senders: senders.filter((row) => Number(row['epoch']) > 0).map((row) => String(row['journal'])),
    answered: attempts
      .filter((row) => row['verdict'] === 'submitted' || row['verdict'] === 'refused')
      .map((row) => ({ journal: String(row['journal']), call: String(row['call']) })),
  };
}
