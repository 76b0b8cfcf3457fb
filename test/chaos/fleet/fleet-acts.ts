import { setTimeout as sleep } from 'node:timers/promises';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import type { CrashPointName } from '../../../src/kernel/crash-point.ts';
import { type Act, describeOrder, everyPoint, needsPerson, type Order, shuffle } from '../support/acts.ts';
import type { Scene } from '../tell-story.ts';
import type { Fleet, FleetHost } from './open-fleet.ts';
import { type Copies, removeJournal } from './person.ts';

/**
 * What is done to hosts that send from one ledger while they work on fresh files. Hosts are given by number. `from`
 * batches are sent before the older state is kept, and `more` after that before it comes back.
 */
export type FleetAct = Action & {
  /** Restarts the hosts once the ledger is open again, so that nothing waits for earlier rings and calls. */
  isFresh?: boolean;
};

type Action =
  /** The first host that passes a crash point dies there. */
  | { kind: 'point'; order: Order }
  | { kind: 'moment'; host: number; afterMs: number }
  | { kind: 'sandbox'; afterMs: number; downMs: number }
  /**
   * The server of the ledger dies. With `off`, that host is dead too, and the others wait for it. An operator starts
   * it, or has another host report its journal.
   */
  | { kind: 'postgres'; afterMs: number; off?: number; isReported?: boolean }
  /** The server's folder is copied, and the copy replaces it under running hosts. */
  | ({ kind: 'copy-back' } & Span)
  /** A lagging standby is promoted; the old primary goes on beside it for `splitMs`. */
  | ({ kind: 'promote-stale'; splitMs: number } & Span)
  /** A backup made in the middle is restored on a host that sent nothing of it, which starts first. */
  | ({ kind: 'restore-on-other-host'; host: number } & Span)
  /** A host freezes between its intent and the first byte while the ledger returns to an older state. */
  | { kind: 'freeze-host'; at: Freeze; hasSecond: boolean }
  /** The journal of a host is lost, and the ledger returns to an older state. */
  | ({ kind: 'lose-journal'; host: number } & Span)
  /** The journal of a host lacks its last calls; with `isLost` no newer copy exists. */
  | { kind: 'older-journal'; host: number; lines: number; isLost: boolean }
  /** A copy of another host's journal replaces that of a host, and the ledger returns to an older state. */
  | ({ kind: 'clone-journal'; host: number } & Span)
  /** A host's folder and the ledger return to an older state together; the mirror of its journal, if any, does not. */
  | ({ kind: 'roll-back-machine'; host: number; hasMirror: boolean } & Span);

type Span = { from: number; more: number };

type Freeze = { point: CrashPointName; move?: string };

/** The points from the commit of the intent to the first byte. */
const FREEZES: readonly Freeze[] = [
  { point: 'commit.before', move: 'send' },
  { point: 'commit.after', move: 'send' },
  { point: 'journal.written' },
  { point: 'journal.synced' },
  { point: 'submit.before-first-byte' },
];

export function describeFleetAct(act: FleetAct): string {
  const { kind, ...how } = act;
  if (act.kind === 'point') return `kill the first host at ${describeOrder(act.order)}`;
  return `${kind} ${JSON.stringify(how)}`;
}

type FleetOptions = { hosts: number; random: () => number };

/** Draws `count` acts by the seed. Two of three put back an older ledger or journal, each kind in turn. */
export function planFleetActs(count: number, { hosts, random }: FleetOptions): FleetAct[] {
  const below = (limit: number) => Math.floor(random() * limit);
  const host = () => below(hosts);
  const span = (): Span => ({ from: below(3), more: 1 + below(3) });
  const backs = shuffle<() => Action>(
    [
      () => ({ kind: 'copy-back', ...span() }),
      () => ({ kind: 'promote-stale', splitMs: below(2) * below(1_500), ...span() }),
      () => ({ kind: 'restore-on-other-host', host: host(), ...span() }),
      () => ({ kind: 'freeze-host', at: FREEZES[below(FREEZES.length)]!, hasSecond: random() < 0.5 }),
      () => ({ kind: 'lose-journal', host: host(), ...span() }),
      () => ({ kind: 'older-journal', host: host(), lines: 1 + below(4), isLost: random() < 0.5 }),
      ...(hosts > 1 ? [(): Action => ({ kind: 'clone-journal', host: host(), ...span() })] : []),
      () => ({ kind: 'roll-back-machine', host: host(), hasMirror: random() < 0.5, ...span() }),
    ],
    random,
  );
  const points = shuffle(everyPoint().flatMap(asFleetAct), random);
  const kills: (() => Action)[] = [
    () => ({ kind: 'moment', host: host(), afterMs: below(1_500) }),
    () => ({ kind: 'sandbox', afterMs: below(1_000), downMs: below(1_500) }),
    () => ({ kind: 'postgres', afterMs: below(1_200) }),
    () => ({ kind: 'postgres', afterMs: below(1_200), off: host(), isReported: random() < 0.5 }),
  ];
  return Array.from({ length: count }, (_, index): FleetAct => {
    if (index % 3 < 2) return { ...backs[(index - Math.floor(index / 3)) % backs.length]!(), isFresh: random() < 0.7 };
    return random() < 0.5 ? points[index % points.length]! : kills[below(kills.length)]!();
  });
}

/** Points of a recovery and of a run need a person or a death before them. */
function asFleetAct(act: Act): Action[] {
  return act.kind === 'point' && !act.after && !needsPerson(act.order) ? [{ kind: 'point', order: act.order }] : [];
}

/**
 * Time limit in ms: what has not happened by then never will. Jobs that an older queue holds as running, and calls that
 * an older ledger holds as in progress, are given up after three minutes.
 */
export const LONGEST_WAY_MS = 300_000;

export type Play = Scene & { fleet: Fleet; count(name: string): void };

/** What an act leaves for the operator. */
export type Left = {
  trouble?: string | undefined;
  /** Newer journals, by the names of their hosts. */
  copies?: Copies;
  isFresh?: boolean | undefined;
  /** The sender drops again what the ledger seems not to know. */
  isForgotten?: boolean;
  /** Undoes what the act set up and the next one does not expect. */
  undo?: () => Promise<void>;
};

export type ActionOf<Kind extends Action['kind']> = Extract<Action, { kind: Kind }>;

/** Works until the files are dropped and this many batches were sent; with 0, until the ledger has the first batch. */
export async function workTo(sends: number, { fleet, dropFiles, account }: Play): Promise<void> {
  await dropFiles();
  const isFar = async () => {
    if (sends > 0) return (await fleet.countSends(account)) >= sends;
    return (await fleet.ledger.query('SELECT FROM batch WHERE account = $1 LIMIT 1', [account])).length > 0;
  };
  await waitFor(fleet, isFar);
}

export async function workOn({ from, more }: Span, { fleet, account }: Play): Promise<void> {
  await waitFor(fleet, async () => (await fleet.countSends(account)) >= from + more);
}

/** Waits for a condition, or for rest, because there may be fewer batches than it asks for. */
export async function waitFor(fleet: Fleet, isFar: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + LONGEST_WAY_MS; performance.now() < end; await sleep(10)) {
    if ((await isFar()) || (await fleet.waitForRest(1)) !== undefined) return;
  }
}

/** Puts the copy in place of the ledger; hosts that are alive go on with it. */
export async function goBack({ fleet, account, count }: Play): Promise<void> {
  fleet.accounts.forgotten.add(account);
  await fleet.server.bringBackCopy();
  await fleet.ledger.close();
  count('postgres');
}

/** Returns the next host; with one host, the same one. */
export function otherThan(number: number, { hosts }: Fleet): FleetHost {
  return hosts[(number + 1) % hosts.length]!;
}

export async function loseJournal(act: ActionOf<'lose-journal'>, play: Play): Promise<Left> {
  const { fleet, account, count } = play;
  const host = fleet.hosts[act.host]!;
  await workTo(act.from, play);
  await fleet.server.copy();
  await workOn(act, play);
  await host.daemon.kill();
  await removeJournal(fleet, host);
  fleet.accounts.compared.add(account);
  await goBack(play);
  count('lose-journal: a journal lost, and the ledger back');
  return { isForgotten: true };
}

export async function cloneJournal(act: ActionOf<'clone-journal'>, play: Play): Promise<Left> {
  const { fleet, count } = play;
  const host = fleet.hosts[act.host]!;
  await workTo(act.from, play);
  await fleet.server.copy();
  await host.daemon.kill();
  const own = await fleet.keepJournal(host);
  await cp(otherThan(act.host, fleet).journal, host.journal);
  await host.start();
  await workOn(act, play);
  await goBack(play);
  count('clone-journal: the journal of another host in its place, and the ledger back');
  return { copies: new Map([[host.name, own]]), isForgotten: true };
}

export async function cutJournal(
  { host: number, lines, isLost }: ActionOf<'older-journal'>,
  { fleet, account, count, dropFiles }: Play,
): Promise<Left> {
  const host = fleet.hosts[number]!;
  await dropFiles();
  if ((await fleet.waitForRest(LONGEST_WAY_MS)) === undefined)
    return { trouble: 'not at rest before the journal was cut' };
  await host.daemon.kill();
  const newest = await fleet.keepJournal(host);
  const all = (await readFile(newest, 'utf8')).split('\n');
  const sends = all.flatMap((line, index) => (line.includes('"call":') ? [index] : []));
  await writeFile(host.journal, all.slice(0, sends.at(-lines) ?? all.length).join('\n'));
  if (isLost) fleet.accounts.compared.add(account);
  await fleet.server.kill();
  await fleet.ledger.close();
  await fleet.server.restart();
  count('postgres');
  count(`older-journal: the end of a journal gone${isLost ? ' for good' : ''}`);
  await host.start();
  return { copies: isLost ? new Map() : new Map([[host.name, newest]]) };
}

export async function rollBack(act: ActionOf<'roll-back-machine'>, play: Play): Promise<Left> {
  const { fleet, account, count } = play;
  const host = fleet.hosts[act.host]!;
  const mirror = `${host.root}-mirror`;
  if (act.hasMirror) await mkdir(mirror).then(() => restartWith(host, { mirror }));
  await workTo(act.from, play);
  const older = `${host.root}-older`;
  host.daemon.signal('SIGSTOP');
  await fleet.server.copy();
  await copyWhole(host.root, older);
  host.daemon.signal('SIGCONT');
  await workOn(act, play);
  await host.daemon.kill();
  await fleet.keepJournal(host);
  await rm(host.root, { recursive: true });
  await copyWhole(older, host.root);
  await rm(older, { recursive: true });
  if (!act.hasMirror) fleet.accounts.exposed.add(account);
  await goBack(play);
  const what = 'roll-back-machine: a host and the ledger put back together';
  count(act.hasMirror ? `${what}, with a mirror` : `${what} (here a double is possible)`);
  if (!act.hasMirror) return {};
  return { isForgotten: true, undo: () => restartWith(host, {}).then(() => rm(mirror, { recursive: true })) };
}

/** Keeps times to the nanosecond, which Node's own copy rounds; a claim whose file has another time is held. */
async function copyWhole(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}

/** Restarts a host with other settings of its send journal. */
async function restartWith(host: FleetHost, journal: { mirror?: string }): Promise<void> {
  const path = join(host.root, 'paydrop.yaml');
  await host.daemon.kill();
  await writeFile(path, stringify({ ...(parse(await readFile(path, 'utf8')) as object), journal }));
  await host.start();
}
