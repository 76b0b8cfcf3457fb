import { type Act, everyPoint, shuffle } from '../support/acts.ts';
import { describeOrder, type Order } from '../support/order.ts';
import type { CrashPointName } from '../../../src/kernel/crash-point.ts';

/**
 * What is done to hosts that send from one ledger while they work on fresh files. Hosts are meant by their number.
 * `from` batches have been sent when the older state is kept, `more` after that when it comes back.
 */
export type FleetAct = Action & {
  /** When the ledger is open again the hosts are started anew, so that nobody waits for jobs and calls of before. */
  isFresh?: boolean;
};

export type Action =
  /** The host that passes a crash point first dies there. */
  | { kind: 'point'; order: Order }
  | { kind: 'moment'; host: number; afterMs: number }
  | { kind: 'sandbox'; afterMs: number; downMs: number }
  /**
   * The server of the ledger dies; with `off`, that host is dead as well, and the others wait for it. A person starts it, or
   * has its journal reported by another.
   */
  | { kind: 'postgres'; afterMs: number; off?: number; isReported?: boolean }
  /** The folder of the server is copied, and the copy takes its place under running hosts. */
  | ({ kind: 'copy-back' } & Span)
  /** A standby that lags is promoted; for `splitMs` the old primary goes on beside it. */
  | ({ kind: 'promote-stale'; splitMs: number } & Span)
  /** A backup that was made in the middle is restored on a host that sent nothing of it, which is started first. */
  | ({ kind: 'restore-on-other-host'; host: number } & Span)
  /** A host stands still between its intent and the first byte while the ledger goes back. */
  | { kind: 'freeze-host'; at: Freeze; hasSecond: boolean }
  /** The journal of a host is lost, and the ledger goes back. */
  | ({ kind: 'lose-journal'; host: number } & Span)
  /** The journal of a host lacks its last calls; with `isLost` nobody has the newer one. */
  | { kind: 'older-journal'; host: number; lines: number; isLost: boolean }
  /** A copy of the journal of another host takes the place of that of a host, and the ledger goes back. */
  | ({ kind: 'clone-journal'; host: number } & Span)
  /** The folder of a host and the ledger go back together; the mirror of its journal, where it has one, does not. */
  | ({ kind: 'roll-back-machine'; host: number; hasMirror: boolean } & Span);

export type Span = { from: number; more: number };

export type Freeze = { point: CrashPointName; move?: string };

/** From the commit of the intent to the first byte. */
export const FREEZES: readonly Freeze[] = [
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

export type FleetOptions = { hosts: number; random: () => number };

/** `count` acts drawn by the seed: two of three make the ledger or a journal go back, each kind in its turn. */
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

function asFleetAct(act: Act): Action[] {
  return act.kind === 'point' && !act.after ? [{ kind: 'point', order: act.order }] : [];
}
