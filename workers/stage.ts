import type { QueueName } from '../schemas/jobs.ts';
import type { App } from '../src/app.ts';
import { describeFailure } from '../src/queue/safe-failure.ts';
import type { WorkItem } from '../src/ledger/alarm/note-failure.ts';
import { type Back, type Due, giveBack, takeDue } from '../src/ledger/stage/taken.ts';
import { noteEnd, noteThrown } from './note-failures.ts';
import { ringAfter } from './ring.ts';

/**
 * A stage takes what is due, works on it, and takes again until nothing is left. What is due stands in the ledger: a ring
 * of the queue, a time that has come, and the end of each sweep only make it look.
 */
export type Stage<Thing> = {
  readonly name: QueueName;
  /** Most things of one group, and their weight. A group is what waits now; nothing waits for a group to fill. */
  readonly most: { readonly things: number; readonly weight: number };
  /** Asks what is due. */
  findDue(app: App): Due | Promise<Due>;
  /** @param subject as in the answer to that question */
  thingOf(subject: string): Thing;
  /** Names a thing, in the ledger and to people. */
  itemOf(thing: Thing): WorkItem;
  /**
   * Works on a group of one thing or many, and commits what that came to. If it fails as a whole, each thing of it goes
   * alone through the same function, and one that fails then is left alone for a while.
   * @returns the things that it did not end
   */
  work(app: App, things: readonly Thing[], hand: Hand<Thing>): Promise<ReadonlyMap<Thing, NotEnded>>;
  /** Set when the stage itself notes what fails and what succeeds again, for smaller things than it takes. */
  readonly notesItself?: boolean;
  /** Set when a thing is often due again right after it has ended, as an account with many batches is. */
  readonly isRepeated?: boolean;
  /** Tells of what was ended, for the whole group. */
  tell?(app: App, things: readonly Thing[]): Promise<void>;
};

/** Why a thing was not ended: what it failed with; it could not be begun and comes later; or the process ends. */
export type NotEnded = { readonly error: unknown } | 'later' | 'stopped';

/** What a stage gets to work with. */
export type Hand<Thing> = {
  /** Aborted when the process ends. */
  readonly stop: AbortSignal;
  /** Tells of things of the group that have ended before the others, and gives them back. */
  end(things: readonly Thing[]): Promise<void>;
  /** Notes at once that a thing has failed, where the others take long; it is among those that did not end, too. */
  fail(thing: Thing, error: unknown): Promise<void>;
  /** Does a part of the work that concerns one thing, under the name of the stage. */
  trace<Result>(thing: Thing, work: () => Promise<Result>): Promise<Result>;
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

/**
 * A stage begins a group at the earliest after this many times the time that the last one took, and at the latest after this
 * many ms. What becomes due meanwhile is taken together, so groups grow as things become many. The first thing never waits,
 * nor does what did not fit into a group, nor anything once no stage of the process works: then nothing more would come.
 */
const REST = { times: 4, mostMs: 500 };

/** Counts the groups that the stages of a process work on. */
export class WorkingGroups {
  private count = 0;
  /** Ends the rests that last now. */
  private readonly resting = new Set<() => void>();

  begin(): void {
    this.count += 1;
  }

  end(): void {
    this.count -= 1;
    if (this.count === 0) for (const end of this.resting) end();
  }

  /** Waits so long, in ms, or until no group is worked on, or the process ends. */
  async rest(ms: number, stopping: AbortSignal): Promise<void> {
    if (ms <= 0 || this.count === 0 || stopping.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => end(), ms);
      // A process rests for months, so nothing may stay behind at the signal.
      const end = () => {
        clearTimeout(timer);
        stopping.removeEventListener('abort', end);
        this.resting.delete(end);
        resolve();
      };
      stopping.addEventListener('abort', end);
      this.resting.add(end);
    });
  }
}

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
 * @param groups those of all stages of the process
 */
export function startStage<Thing>(
  app: App,
  stage: Stage<Thing>,
  {
    hands,
    stopping,
    mayTake = () => true,
    groups,
  }: { hands: number; stopping: AbortSignal; mayTake?: (() => boolean) | undefined; groups: WorkingGroups },
): StageRunner {
  const running = new Set<Promise<void>>();
  const repeats = watchRepeats();
  const isStuck = stage.isRepeated ? () => false : repeats.isStuck;
  let looking: Promise<void> | undefined;
  let isRung = false;
  let timer: NodeJS.Timeout | undefined;
  let restsUntil = 0;
  /** How long the last group took. */
  let lastMs = 0;
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
      while (mayTakeMore()) {
        await groups.rest(restsUntil - performance.now(), stopping);
        if (mayTakeMore()) await takeMore();
      }
      if (isRung && running.size >= hands) lookAfter(PASS_ON_MS, passOn);
      if (!mayTake() || stopping.aborted || running.size >= hands) await giveAllBack();
    } catch (error) {
      app.log.error({ stage: stage.name, ...describeFailure(error) }, 'the stage cannot look what is due');
      lookAfter(AGAIN_MS, wake);
    }
  }

  function mayTakeMore(): boolean {
    return isRung && running.size < hands && mayTake() && !stopping.aborted;
  }

  async function takeMore(): Promise<void> {
    isRung = false;
    const { things, isMore, nextAt } = await exchange(async (given) => {
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
    const beganAt = performance.now();
    restsUntil = isMore || stage.isRepeated ? beganAt : beganAt + Math.min(REST.mostMs, REST.times * lastMs);
    if (isMore) isRung = true;
    // Something else may become due by itself while the group is worked on.
    else lookAfter(PASS_ON_MS, wake);
    const giveBackLater = (given: Back) => {
      back = { ended: [...back.ended, ...given.ended], later: [...back.later, ...given.later] };
    };
    const giveBackEarly = (given: Back) => {
      giveBackLater(given);
      void wake();
    };
    groups.begin();
    const work = workOn(app, stage, things, { stop: stopping, isStuck, giveBackEarly })
      .then(giveBackLater)
      .finally(() => {
        lastMs = performance.now() - beganAt;
        running.delete(work);
        groups.end();
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
  const backs: Back[] = [];
  backs.push(
    await workOn(app, stage, things, { stop, isStuck: () => false, giveBackEarly: (back) => backs.push(back) }),
  );
  const back = { ended: backs.flatMap(({ ended }) => ended), later: backs.flatMap(({ later }) => later) };
  await giveBack(app.ledger, stage.name, back, app.settings.sweepMs);
  return things.length;
}

const NEVER = new AbortController().signal;

async function takeGroup<Thing>(app: App, stage: Stage<Thing>, back: Back) {
  const options = { limit: stage.most, back, laterMs: app.settings.sweepMs };
  const { subjects, ...rest } = await takeDue(app.ledger, stage.name, await stage.findDue(app), options);
  return { things: subjects.map((subject) => stage.thingOf(subject)), ...rest };
}

/** @returns what ended or was not begun, and what is to be left alone for a while; without what was given back early */
async function workOn<Thing>(
  app: App,
  stage: Stage<Thing>,
  things: readonly Thing[],
  {
    stop,
    isStuck,
    giveBackEarly,
  }: { stop: AbortSignal; isStuck: (subject: string) => boolean; giveBackEarly: (back: Back) => void },
): Promise<Back> {
  const left = new Set(things);
  const subjectOf = (thing: Thing) => stage.itemOf(thing).subject;
  const end = async (some: readonly Thing[]): Promise<Back> => {
    const ended = some.filter((thing) => left.delete(thing));
    if (!stage.notesItself) for (const thing of ended) await noteEnd(app, stage.itemOf(thing));
    if (ended.length > 0) await tell(app, stage, ended);
    // Asked once: the answer begins a new count.
    const later = new Set(ended.map(subjectOf).filter(isStuck));
    return { ended: ended.map(subjectOf).filter((subject) => !later.has(subject)), later: [...later] };
  };
  const isLeft = (thing: Thing) => left.has(thing);
  const failed = new Set<Thing>();
  const fail = async (thing: Thing, error: unknown) => {
    if (!failed.has(thing)) await noteUnended(app, stage, thing, error);
    failed.add(thing);
  };
  const notEnded = await workThrough(app, stage, things, isLeft, {
    stop,
    end: async (some) => giveBackEarly(await end(some)),
    fail,
    trace: (thing, work) => tracing(app, stage.name, stage.itemOf(thing), work),
  });
  for (const [thing, why] of notEnded) if (typeof why === 'object') await fail(thing, why.error);
  const back = await end([...left].filter((thing) => !notEnded.has(thing)));
  const isStopped = (thing: Thing) => notEnded.get(thing) === 'stopped';
  const rest = [...left];
  return {
    ended: [...back.ended, ...rest.filter(isStopped).map(subjectOf)],
    later: [...back.later, ...rest.filter((thing) => !isStopped(thing)).map(subjectOf)],
  };
}

/** Works on a group; one that fails as a whole goes one by one. */
async function workThrough<Thing>(
  app: App,
  stage: Stage<Thing>,
  things: readonly Thing[],
  isLeft: (thing: Thing) => boolean,
  hand: Hand<Thing>,
): Promise<ReadonlyMap<Thing, NotEnded>> {
  try {
    return await stage.work(app, things, hand);
  } catch (error) {
    if (things.length === 1) return new Map([[things[0]!, { error }]]);
    const { reason } = describeFailure(error);
    app.log.warn({ stage: stage.name }, `${things.length} things are worked on one by one: ${reason}`);
    const notEnded = new Map<Thing, NotEnded>();
    for (const thing of things.filter(isLeft)) {
      if (hand.stop.aborted) notEnded.set(thing, 'stopped');
      else for (const one of await workThrough(app, stage, [thing], isLeft, hand)) notEnded.set(...one);
    }
    return notEnded;
  }
}

async function noteUnended<Thing>(app: App, stage: Stage<Thing>, thing: Thing, error: unknown): Promise<void> {
  const item = stage.itemOf(thing);
  if (!stage.notesItself) await noteThrown(app, item, error);
  // A foreign message may hold data.
  app.log.error({ ...aboutOf(item), stage: stage.name, ...describeFailure(error) }, 'work failed');
}

/**
 * Makes the work of a stage whose things have nothing in common: they go one after the other.
 * @param work works on one thing. Returns `later` when it could not be begun
 */
export function eachAlone<Thing>(
  work: (app: App, thing: Thing, stop: AbortSignal) => Promise<'later' | void>,
): Stage<Thing>['work'] {
  return async (app, things, { stop, trace, fail }) => {
    const notEnded = new Map<Thing, NotEnded>();
    for (const thing of things)
      try {
        const result = stop.aborted ? 'stopped' : await trace(thing, () => work(app, thing, stop));
        if (result !== undefined) notEnded.set(thing, result);
      } catch (error) {
        notEnded.set(thing, { error });
        await fail(thing, error);
      }
    return notEnded;
  };
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
 * a while. One that waits for a time of its own, as a poll does, is not due then, unless that time comes while the stage
 * rests: so it takes many.
 */
const MOST_REPEATS = 40;

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
