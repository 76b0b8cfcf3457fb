import type { QueueName } from '../schemas/jobs.ts';
import type { App } from '../src/app.ts';
import { isPlanOutdated } from '../src/kernel/errors.ts';
import { describeFailure } from '../src/queue/safe-failure.ts';
import type { WorkItem } from '../src/ledger/alarm/note-failure.ts';
import { type Back, type Due, giveBack, takeDue } from '../src/ledger/stage/taken.ts';
import { noting } from './note-failures.ts';
import { ringAfter } from './ring.ts';

/**
 * A stage takes what is due, works on it, and takes again until nothing is left. What is due stands in the ledger: a ring
 * of the queue, a time that has come, and the end of each sweep only make it look.
 */
export type Stage<Thing> = {
  readonly name: QueueName;
  /** Most things of one group, and their weight. A group is what waits now; nothing waits for a group to fill. */
  readonly most: { readonly things: number; readonly weight: number };
  /** How many things of a group are worked on side by side. */
  sideBySide?(app: App, things: readonly Thing[]): Promise<number>;
  /** Asks what is due. */
  findDue(app: App): Due | Promise<Due>;
  /** @param subject as in the answer to that question */
  thingOf(subject: string): Thing;
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
const LEAST_WAIT_MS = 100;

/** Longest, in ms; a time that a wrong clock has put off is looked at again. */
const LONGEST_WAIT_MS = 60_000;

/** How long a ring waits for a hand of this process before another may hear it, in ms. */
const PASS_ON_MS = 1_000;

/** Wait after a look that failed, in ms. */
const AGAIN_MS = 1_000;

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
  const repeats = watchRepeats();
  const isStuck = stage.isRepeated ? () => false : repeats.isStuck;
  let looking: Promise<void> | undefined;
  let isRung = false;
  let timer: NodeJS.Timeout | undefined;
  /** Worked on, and not given back yet. */
  let back: Back = NOTHING;

  function wake(): Promise<void> {
    isRung = true;
    looking ??= look().finally(() => {
      looking = undefined;
      // A ring may have come in the same moment.
      if (mayTakeMore()) void wake();
    });
    return looking;
  }

  /** Takes groups while a hand is free and something is due. */
  async function look(): Promise<void> {
    clearTimeout(timer);
    try {
      while (mayTakeMore()) await takeMore();
      if (isRung && running.size >= hands) lookAfter(PASS_ON_MS, passOn);
      if (!mayTake() || stopping.aborted) await giveAllBack();
    } catch (error) {
      if (!isPlanOutdated(error))
        app.log.error({ stage: stage.name, ...describeFailure(error) }, 'the stage cannot look what is due');
      lookAfter(AGAIN_MS, wake);
    }
  }

  function mayTakeMore(): boolean {
    return isRung && running.size < hands && mayTake() && !stopping.aborted;
  }

  async function takeMore(): Promise<void> {
    isRung = false;
    const { things, nextAt } = await exchange(async (given) => {
      const group = await takeGroup(app, stage, given);
      repeats.note(
        given.ended,
        group.things.map((thing) => stage.itemOf(thing).subject),
      );
      return group;
    });
    if (things.length === 0) {
      if (nextAt) lookAfter(waitMs(nextAt), wake);
      return;
    }
    // There may be more than one group.
    isRung = true;
    const work = workOn(app, stage, things, stopping, isStuck)
      .then((ended) => {
        back = { ended: [...back.ended, ...ended.ended], later: [...back.later, ...ended.later] };
      })
      .finally(() => {
        running.delete(work);
        void wake();
      });
    running.add(work);
  }

  /** What cannot be given back now is given back the next time. */
  async function exchange<Result>(ask: (given: Back) => Promise<Result>): Promise<Result> {
    const given = back;
    const result = await ask(given);
    const without = (all: readonly string[], some: readonly string[]) => all.filter((one) => !some.includes(one));
    back = { ended: without(back.ended, given.ended), later: without(back.later, given.later) };
    return result;
  }

  async function giveAllBack(): Promise<void> {
    if (back.ended.length + back.later.length === 0) return;
    await exchange((given) => giveBack(app.ledger, stage.name, given, app.settings.sweepMs));
  }

  function waitMs(at: Date): number {
    return Math.min(LONGEST_WAIT_MS, Math.max(LEAST_WAIT_MS, at.getTime() - app.clock.now().getTime()));
  }

  function lookAfter(ms: number, then: () => Promise<void>): void {
    clearTimeout(timer);
    if (!stopping.aborted) timer = setTimeout(() => void then(), ms).unref();
  }

  /** All hands are busy here; a process with a free one may hear it. */
  async function passOn(): Promise<void> {
    if (running.size >= hands && !stopping.aborted) await ringAfter(app, stage.name);
  }

  return {
    name: stage.name,
    wake,
    stop: async (limitMs) => {
      clearTimeout(timer);
      await looking;
      let late: NodeJS.Timeout | undefined;
      await Promise.race([
        Promise.allSettled(running),
        new Promise((resolve) => (late = setTimeout(resolve, limitMs))),
      ]);
      clearTimeout(late);
      await giveAllBack().catch((error: unknown) => app.log.warn({ stage: stage.name }, describeFailure(error).reason));
    },
  };
}

const NOTHING: Back = { ended: [], later: [] };

/**
 * Takes one group and works on it.
 * @returns how many things it had
 */
export async function runOnce<Thing>(app: App, stage: Stage<Thing>, stop = NEVER): Promise<number> {
  const { things } = await takeGroup(app, stage, NOTHING);
  if (things.length === 0) return 0;
  const back = await workOn(app, stage, things, stop, () => false);
  await giveBack(app.ledger, stage.name, back, app.settings.sweepMs);
  return things.length;
}

const NEVER = new AbortController().signal;

async function takeGroup<Thing>(app: App, stage: Stage<Thing>, back: Back) {
  const options = { limit: stage.most, back, laterMs: app.settings.sweepMs };
  const { subjects, nextAt } = await takeDue(app.ledger, stage.name, await stage.findDue(app), options);
  return { things: subjects.map((subject) => stage.thingOf(subject)), nextAt };
}

/** @returns what ended or was not begun, and what is to be left alone for a while */
async function workOn<Thing>(
  app: App,
  stage: Stage<Thing>,
  things: readonly Thing[],
  stop: AbortSignal,
  isStuck: (subject: string) => boolean,
): Promise<Back> {
  const later = new Set<Thing>();
  const notBegun = new Set<Thing>();
  const together = things.length > 1 ? await endTogether(app, stage, things) : [];
  const rest = things.filter((thing) => !together.includes(thing));
  const atOnce = (await stage.sideBySide?.(app, rest).catch(() => 1)) ?? 1;
  await keepOrder(rest, atOnce, async (thing, turn) => {
    if (stop.aborted) {
      notBegun.add(thing);
      return;
    }
    const item = stage.itemOf(thing);
    try {
      const work = () => tracing(app, stage.name, item, () => stage.workAlone(app, thing, turn, stop));
      const result = await (stage.notesItself ? work() : noting(app, item, work));
      if (result === 'later' || isStuck(item.subject)) later.add(thing);
    } catch (error) {
      later.add(thing);
      if (isPlanOutdated(error))
        app.log.info({ stage: stage.name }, 'work met an update of the tables and is repeated');
      // A foreign message may hold data.
      else app.log.error({ ...aboutOf(item), stage: stage.name, ...describeFailure(error) }, 'work failed');
    }
  });
  const ended = things.filter((thing) => !later.has(thing) && !notBegun.has(thing));
  if (ended.length > 0) await tell(app, stage, ended);
  const subjectOf = (thing: Thing) => stage.itemOf(thing).subject;
  return { ended: [...ended, ...notBegun].map(subjectOf), later: [...later].map(subjectOf) };
}

async function endTogether<Thing>(app: App, stage: Stage<Thing>, things: readonly Thing[]): Promise<readonly Thing[]> {
  try {
    return (await stage.workTogether?.(app, things)) ?? [];
  } catch (error) {
    const { reason } = describeFailure(error);
    app.log.warn({ stage: stage.name }, `${things.length} things are worked on one by one: ${reason}`);
    return [];
  }
}

/** What follows is found by the next stage after a sweep, too. */
async function tell<Thing>(app: App, stage: Stage<Thing>, ended: readonly Thing[]): Promise<void> {
  await stage
    .tell?.(app, ended)
    .catch((error: unknown) =>
      app.log.warn({ stage: stage.name }, `what follows is found later: ${describeFailure(error).reason}`),
    );
}

/**
 * A thing may be due again so often at the moment when it is given back. Then something is wrong, and it is left alone for
 * a while. One that waits for a time of its own, as a poll does, is not due then.
 */
const MOST_REPEATS = 10;

/** Counts how often in succession things are due again at once. */
function watchRepeats() {
  const repeats = new Map<string, number>();
  return {
    note: (ended: readonly string[], taken: readonly string[]) => {
      for (const subject of ended) {
        if (taken.includes(subject)) repeats.set(subject, (repeats.get(subject) ?? 0) + 1);
        else repeats.delete(subject);
      }
    },
    isStuck: (subject: string) => {
      if ((repeats.get(subject) ?? 0) < MOST_REPEATS) return false;
      // After the wait it begins anew.
      repeats.delete(subject);
      return true;
    },
  };
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
