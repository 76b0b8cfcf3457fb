import type { QueueName } from '../schemas/jobs.ts';
import type { App } from '../src/app.ts';
import { isPlanOutdated, reasonOf } from '../src/kernel/errors.ts';
import type { WorkItem } from '../src/ledger/alarm/note-failure.ts';
import { giveBack, leaveAlone, take } from '../src/ledger/stage/taken.ts';
import { noting } from './note-failures.ts';
import { ringAfter } from './ring.ts';

/**
 * A stage takes what is due, works on it, and takes again until nothing is left. What is due stands in the ledger: a ring
 * of the queue, a time that has come, and the end of each sweep only make it look.
 */
export type Stage<Thing> = {
  readonly name: QueueName;
  /** Most things of one group. A group is what waits now; nothing waits for a group to fill. */
  readonly most: number;
  /** How many things of a group are worked on side by side. */
  sideBySide?(app: App, things: readonly Thing[]): Promise<number>;
  /** Returns what is due and nobody works on, in the order in which it should be taken. */
  findDue(app: App, limit: number): Promise<Thing[]>;
  /**
   * Returns when the next thing becomes due by itself; null when only a ring tells.
   * @param since when the stage looked last, by the clock of the host
   */
  readNextDue?(app: App, since: Date): Promise<Date | null>;
  /** Names a thing, in the ledger and to people. */
  itemOf(thing: Thing): WorkItem;
  /**
   * Ends what can be ended for the whole group at once.
   * @returns the things that it ended; the others follow alone. What it throws is logged, and all follow alone
   */
  workTogether?(app: App, things: readonly Thing[]): Promise<readonly Thing[]>;
  /**
   * Works on one thing. A thing that fails is left alone for a while.
   * @param turn resolves when the things before it in the group have ended
   * @param stop is aborted when the process ends
   * @returns `later` when it could not be begun, so that it is left alone for a while too
   */
  workAlone(app: App, thing: Thing, turn: Promise<void>, stop: AbortSignal): Promise<'later' | void>;
  /** Set when the stage itself notes what fails and what succeeds again, for smaller things than it takes. */
  readonly notesItself?: boolean;
  /** Set when a thing is often due again right after it has ended, as an account with many batches is. */
  readonly isRepeated?: boolean;
  /** Tells of what was ended, for the whole group. */
  tell?(app: App, things: readonly Thing[]): Promise<void>;
};

export type StageRunner = {
  readonly name: QueueName;
  /** Makes the stage look at the ledger, now or as soon as it has a hand free. Returns once it has taken what it can. */
  wake(): Promise<void>;
  /** Takes nothing new and waits for what is under way, at most `waitMs`. */
  stop(waitMs: number): Promise<void>;
};

/** Shortest wait between two looks that no ring asked for, in ms: what becomes due meanwhile is taken together. */
const LEAST_WAIT_MS = 25;

/** Longest, in ms; a time that a wrong clock has put off is looked at again. */
const LONGEST_WAIT_MS = 60_000;

/** How long a ring waits for a hand of this process before another may hear it, in ms. */
const PASS_ON_MS = 1_000;

/**
 * Runs a stage in this process.
 * @param hands how many groups are worked on at a time
 * @param mayTake whether this process may take anything now
 */
export function startStage<Thing>(
  app: App,
  stage: Stage<Thing>,
  {
    hands,
    stopping,
    mayTake = () => true,
  }: { hands: number; stopping: AbortSignal; mayTake?: (() => boolean) | undefined },
): StageRunner {
  const running = new Set<Promise<void>>();
  let looking: Promise<void> | undefined;
  let isRung = false;
  let timer: NodeJS.Timeout | undefined;
  let lookedAt = app.clock.now();
  const isStuck = stage.isRepeated ? () => false : watchEndings();

  function wake(): Promise<void> {
    isRung = true;
    return (looking ??= look().finally(() => (looking = undefined)));
  }

  /** Takes groups while a hand is free and something is due. */
  async function look(): Promise<void> {
    try {
      do {
        clearTimeout(timer);
        await takeGroups();
        if (!isRung) await plan();
        else if (running.size >= hands) lookAfter(PASS_ON_MS, passOn);
        // A ring may have come meanwhile.
      } while (mayTakeMore());
    } catch (error) {
      if (!isPlanOutdated(error)) app.log.error({ stage: stage.name }, `the stage cannot look: ${reasonOf(error)}`);
      lookAfter(PASS_ON_MS, wake);
    }
  }

  function mayTakeMore(): boolean {
    return isRung && running.size < hands && mayTake() && !stopping.aborted;
  }

  async function takeGroups(): Promise<void> {
    while (mayTakeMore()) {
      isRung = false;
      lookedAt = app.clock.now();
      const things = await takeGroup(app, stage);
      if (things.length === 0) return;
      // There may be more than one group.
      isRung = true;
      const work = workOn(app, stage, things, stopping, isStuck).finally(() => {
        running.delete(work);
        void wake();
      });
      running.add(work);
    }
  }

  function lookAfter(ms: number, then: () => Promise<void>): void {
    if (!stopping.aborted) timer = setTimeout(() => void then(), ms).unref();
  }

  /** All hands are busy here; a process with a free one may hear it. */
  async function passOn(): Promise<void> {
    if (running.size >= hands && !stopping.aborted) await ringAfter(app, stage.name);
  }

  async function plan(): Promise<void> {
    const at = await stage.readNextDue?.(app, lookedAt);
    if (!at) return;
    const waitMs = at.getTime() - app.clock.now().getTime();
    lookAfter(Math.min(LONGEST_WAIT_MS, Math.max(LEAST_WAIT_MS, waitMs)), wake);
  }

  return {
    name: stage.name,
    wake,
    stop: async (waitMs) => {
      clearTimeout(timer);
      await looking;
      const ended = Promise.allSettled([...running]);
      let late: NodeJS.Timeout | undefined;
      await Promise.race([ended, new Promise((resolve) => (late = setTimeout(resolve, waitMs)))]);
      clearTimeout(late);
    },
  };
}

/**
 * Takes one group and works on it.
 * @returns how many things it had
 */
export async function runOnce<Thing>(app: App, stage: Stage<Thing>, stop = NEVER): Promise<number> {
  const things = await takeGroup(app, stage);
  if (things.length > 0) await workOn(app, stage, things, stop, () => false);
  return things.length;
}

const NEVER = new AbortController().signal;

async function takeGroup<Thing>(app: App, stage: Stage<Thing>): Promise<Thing[]> {
  const due = await stage.findDue(app, stage.most);
  const subjectOf = (thing: Thing) => stage.itemOf(thing).subject;
  // A stage may name more than a group has, also what others work on.
  for (let from = 0; from < due.length; from += stage.most) {
    const some = due.slice(from, from + stage.most);
    const ours = await take(app.ledger, stage.name, some.map(subjectOf));
    if (ours.size > 0) return some.filter((thing) => ours.has(subjectOf(thing)));
  }
  return [];
}

async function workOn<Thing>(
  app: App,
  stage: Stage<Thing>,
  things: readonly Thing[],
  stop: AbortSignal,
  isStuck: (subject: string) => boolean,
): Promise<void> {
  const later: Thing[] = [];
  const notBegun: Thing[] = [];
  const together = things.length > 1 ? await endTogether(app, stage, things) : NOTHING;
  const rest = things.filter((thing) => !together.includes(thing));
  const atOnce = (await stage.sideBySide?.(app, rest).catch(() => 1)) ?? 1;
  await keepOrder(rest, atOnce, async (thing, turn) => {
    if (stop.aborted) {
      notBegun.push(thing);
      return;
    }
    const item = stage.itemOf(thing);
    try {
      const work = () => tracing(app, stage.name, item, () => stage.workAlone(app, thing, turn, stop));
      const result = await (stage.notesItself ? work() : noting(app, item, work));
      if (result === 'later' || isStuck(item.subject)) later.push(thing);
    } catch (error) {
      later.push(thing);
      if (isPlanOutdated(error))
        app.log.info({ stage: stage.name }, 'work met an update of the tables and is repeated');
      else app.log.error({ ...aboutOf(item), stage: stage.name }, reasonOf(error));
    }
  });
  await finish(app, stage, things, { later, notBegun });
}

const NOTHING: readonly never[] = [];

async function endTogether<Thing>(app: App, stage: Stage<Thing>, things: readonly Thing[]): Promise<readonly Thing[]> {
  try {
    return (await stage.workTogether?.(app, things)) ?? NOTHING;
  } catch (error) {
    app.log.warn({ stage: stage.name }, `${things.length} things are worked on one by one: ${reasonOf(error)}`);
    return NOTHING;
  }
}

/** A thing may end so often in so many ms and be due again. Then something is wrong, and it is left alone for a while. */
const MOST_REPEATS = 10;
const REPEATS_MS = 10_000;

/** Returns a function that says whether a thing ended so often lately that it must be left alone. */
function watchEndings(): (subject: string) => boolean {
  const endings = new Map<string, number[]>();
  return (subject) => {
    const now = performance.now();
    for (const [old, at] of endings) if (now - at.at(-1)! >= REPEATS_MS) endings.delete(old);
    const lately = (endings.get(subject) ?? []).filter((at) => now - at < REPEATS_MS);
    endings.set(subject, [...lately, now]);
    return lately.length >= MOST_REPEATS;
  };
}

/** Gives the group back and tells of what ended. If the ledger is away now, the next sweep of this process gives it back. */
async function finish<Thing>(
  app: App,
  stage: Stage<Thing>,
  things: readonly Thing[],
  { later, notBegun }: { later: readonly Thing[]; notBegun: readonly Thing[] },
): Promise<void> {
  const subjectsOf = (some: readonly Thing[]) => some.map((thing) => stage.itemOf(thing).subject);
  const free = things.filter((thing) => !later.includes(thing));
  const ended = free.filter((thing) => !notBegun.includes(thing));
  try {
    try {
      if (later.length > 0) await leaveAlone(app.ledger, stage.name, subjectsOf(later), app.settings.sweepMs);
    } finally {
      if (free.length > 0) await giveBack(app.ledger, stage.name, subjectsOf(free));
    }
    if (ended.length > 0) await stage.tell?.(app, ended);
  } catch (error) {
    app.log.warn({ stage: stage.name }, `what follows is found later: ${reasonOf(error)}`);
  }
}

function tracing<Result>(app: App, name: string, item: WorkItem, work: () => Promise<Result>): Promise<Result> {
  const { fileId, batchNo } = item;
  return fileId === undefined
    ? work()
    : app.telemetry.trace(name, { fileId, ...(batchNo !== undefined && { batchNo }) }, work);
}

function aboutOf({ fileId, batchNo, account, subject }: WorkItem) {
  return { fileId, batchNo, account, ...(fileId === undefined && account === undefined && { subject }) };
}

/**
 * Works on several things at a time, and lets each do its last part only after those before it have ended.
 * @param atOnce how many at a time
 * @param work must not reject; awaits `turn` before the part that must happen in order
 */
export async function keepOrder<Thing>(
  things: readonly Thing[],
  atOnce: number,
  work: (thing: Thing, turn: Promise<void>) => Promise<void>,
): Promise<void> {
  /** For each thing: resolves when it and all before it have ended. */
  const ended: Promise<void>[] = [];
  for (const [place, thing] of things.entries()) {
    await ended[place - atOnce];
    const before = ended[place - 1] ?? Promise.resolve();
    const working = work(thing, before);
    ended.push(before.then(() => working));
  }
  await ended.at(-1);
}
