import { CRASH_POINTS, type CrashPointName } from '../../../src/kernel/crash-point.ts';

/** What is done to an installation while it works on fresh files. */
export type Act =
  /** The daemon dies at a crash point; with `after`, the next daemon dies too, while it recovers. */
  | { kind: 'point'; order: Order; after?: Order }
  /** The daemon dies some time after the files were dropped. */
  | { kind: 'moment'; afterMs: number }
  | { kind: 'sandbox'; afterMs: number; downMs: number }
  | { kind: 'redis-flush'; afterMs: number }
  | { kind: 'redis-older'; afterMs: number }
  | { kind: 'drop-schema'; afterMs: number }
  | { kind: 'postgres'; afterMs: number; lonelyMs: number }
  | { kind: 'disk'; where: 'out' | 'data/archive' | 'data/journal'; fullMs: number }
  /** A copy of the database, made in the middle of the work, replaces it when the work is done. */
  | { kind: 'restore'; afterMs: number }
  /** The same, but the sender drops the files again with one row less or more. */
  | { kind: 'altered'; afterMs: number; how: 'less' | 'more' }
  /** The account gets another name, and its files come again. */
  | { kind: 'rename'; afterMs: number; againMs: number }
  /** Its agent code gets a second name with folders of its own, where its files come again. */
  | { kind: 'second-name'; afterMs: number; againMs: number }
  /** Two accounts exchange their agent codes; a person moves or cancels what is left, if their currencies differ. */
  | { kind: 'exchange'; afterMs: number; isForeign: boolean; ending: Ending }
  /** The account gets another currency; a person moves or cancels what is left. */
  | { kind: 'other-currency'; afterMs: number; ending: Ending }
  /** The marker of yesterday lies there while the file is written in two halves. */
  | { kind: 'old-marker'; afterMs: number; pauseMs: number };

/** What a person does with unsent work under a former name. */
export type Ending = 'move' | 'cancel';

export type QueueKind = 'postgres' | 'redis';

export function describeAct(act: Act): string {
  switch (act.kind) {
    case 'point':
      return `kill at ${describeOrder(act.order)}${act.after ? `, then at ${describeOrder(act.after)}` : ''}`;
    case 'moment':
      return `kill after ${act.afterMs} ms`;
    case 'disk':
      return `fill the disk of ${act.where} for ${act.fullMs} ms`;
    case 'sandbox':
    case 'redis-flush':
    case 'redis-older':
    case 'drop-schema':
    case 'postgres':
    case 'restore':
      return `${act.kind} after ${act.afterMs} ms`;
    case 'altered':
      return `restore after ${act.afterMs} ms; the files come again with one row ${act.how}`;
    case 'rename':
    case 'second-name':
      return `kill after ${act.afterMs} ms, ${act.kind}, kill ${act.againMs} ms after the files came again`;
    case 'exchange':
      return `kill after ${act.afterMs} ms, exchange${act.isForeign ? ' with another currency' : ''}, ${act.ending} what is left`;
    case 'other-currency':
      return `kill after ${act.afterMs} ms, ${act.kind}, ${act.ending} what is left`;
    case 'old-marker':
      return `kill ${act.afterMs} ms after the first half beside an old marker, with pauses of ${act.pauseMs} ms`;
  }
}

/** Points that are passed only at a start, or only after a death in the middle of a call. */
const AT_START: readonly CrashPointName[] = ['start.journal-compared'];

/** Moves that every act commits. */
const USUAL_MOVES = ['claim', 'accept', 'output', 'send', 'submit', 'receive', 'reconcile', 'complete'];

/** The move of a run, which a person has to begin. */
const MOVE_OF_RUN = 'resubmit';

/** Returns whether the point is passed only after a person has had something sent again. */
export function needsPerson({ point, move }: Order): boolean {
  return point.startsWith('reprocess.') || move === MOVE_OF_RUN;
}

/** Moves that only a recovery makes, with the death that makes them due. */
const RECOVERIES: readonly { move: string; death: CrashPointName }[] = [
  { move: 'doubt', death: 'submit.before-first-byte' },
];

/** The points that processes of these stories pass. What only a command passes has a test of its own. */
export const POINTS = (Object.keys(CRASH_POINTS) as CrashPointName[]).filter(
  (name) => !/^(?:archive|upgrade)\./.test(name),
);

/** Returns one act for every crash point, and for those around a commit one per move. */
export function everyPoint(): Act[] {
  const around = ['commit.before', 'commit.after'] as const;
  const single = POINTS.filter((name) => !around.some((point) => point === name));
  return [
    ...single.map((point): Act => {
      if (AT_START.includes(point))
        return { kind: 'point', order: { point: 'submit.connected', hits: 1 }, after: { point, hits: 1 } };
      // The second file to be removed is the payment file; its control file, where one came, goes first.
      return { kind: 'point', order: { point, hits: point === 'release.file-removed' ? 2 : 1 } };
    }),
    ...[...USUAL_MOVES, MOVE_OF_RUN].flatMap((move) =>
      around.map((point): Act => ({ kind: 'point', order: { point, move, hits: 1 } })),
    ),
    ...RECOVERIES.flatMap(({ move, death }) =>
      around.map(
        (point): Act => ({ kind: 'point', order: { point: death, hits: 1 }, after: { point, move, hits: 1 } }),
      ),
    ),
  ];
}

type PlanOptions = { queue: QueueKind; random: () => number; canMount: boolean };

/** Draws `count` acts by the seed: every point in turn, mixed with everything else that can go wrong. */
export function planActs(count: number, { queue, random, canMount }: PlanOptions): Act[] {
  const points = shuffle(everyPoint(), random);
  const ms = (longest: number) => Math.floor(random() * longest);
  const ending = (): Ending => (random() < 0.5 ? 'move' : 'cancel');
  const others: (() => Act)[] = [
    () => ({ kind: 'moment', afterMs: ms(1_500) }),
    () => ({ kind: 'moment', afterMs: ms(600) }),
    () => ({ kind: 'sandbox', afterMs: ms(1_000), downMs: ms(1_500) }),
    () => ({ kind: 'postgres', afterMs: ms(1_200), lonelyMs: ms(1_000) }),
    () => ({ kind: 'restore', afterMs: 300 + ms(1_500) }),
    () => ({ kind: 'altered', afterMs: ms(1_500), how: random() < 0.5 ? 'less' : 'more' }),
    () => ({ kind: 'rename', afterMs: ms(1_200), againMs: ms(600) }),
    () => ({ kind: 'second-name', afterMs: ms(1_200), againMs: ms(600) }),
    () => ({ kind: 'exchange', afterMs: ms(1_200), isForeign: random() < 0.5, ending: ending() }),
    () => ({ kind: 'other-currency', afterMs: ms(1_200), ending: ending() }),
    () => ({ kind: 'old-marker', afterMs: ms(600), pauseMs: 100 + ms(900) }),
    ...(queue === 'postgres'
      ? [(): Act => ({ kind: 'drop-schema', afterMs: ms(1_000) })]
      : [
          (): Act => ({ kind: 'redis-flush', afterMs: ms(1_000) }),
          (): Act => ({ kind: 'redis-older', afterMs: ms(1_000) }),
        ]),
    ...(canMount
      ? (['out', 'data/archive', 'data/journal'] as const).map(
          (where) => (): Act => ({ kind: 'disk', where, fullMs: 300 + ms(1_500) }),
        )
      : []),
  ];
  return Array.from({ length: count }, (_, index): Act => {
    if (random() < 0.4) return others[Math.floor(random() * others.length)]!();
    return later(points[index % points.length]!, random);
  });
}

/** Sometimes returns the same point at a later passage. */
function later(act: Act, random: () => number): Act {
  const more = random() < 0.3 ? 1 + Math.floor(random() * 2) : 0;
  return act.kind === 'point' && !act.after ? { ...act, order: { ...act.order, hits: act.order.hits + more } } : act;
}

export function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
  }
  return shuffled;
}

/** Where a daemon dies: the `hits`-th time it passes a point; around a commit, only if the commit makes `move`. */
export type Order = {
  point: CrashPointName;
  move?: string;
  hits: number;
  /** Only a commit that makes the move for several batches counts. */
  isTogether?: boolean;
  /** The power goes there, after so many more changes of files, instead of the daemon's death. */
  powerAfter?: number;
  /** It freezes there in the middle of its work (SIGSTOP) instead of dying; when it goes on, the next order applies. */
  freeze?: { next?: Order };
};

export function describeOrder({ point, move, hits, isTogether, powerAfter, freeze }: Order): string {
  const next = freeze?.next ? `, then at ${describeOrder(freeze.next)}` : '';
  const moved = move === undefined ? '' : ` of ${isTogether ? 'several ' : ''}${move}`;
  const later = powerAfter === undefined ? '' : `, ${powerAfter} changes later`;
  return `${point}${moved}${hits > 1 ? `, time ${hits}` : ''}${later}${next}`;
}
