import { setTimeout as wait } from 'node:timers/promises';
import type { BatchState } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import { closedAccounts, isWindowOpen, nextSendAt } from '../../src/calendar/send-window.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { reasonOf } from '../../src/kernel/errors.ts';
import { stopAccount } from '../../src/ledger/account/stop-account.ts';
import { type Call, callOf, LONGEST_RELEASE_MS } from '../../src/ledger/batch/commit-send.ts';
import { dueAccounts } from '../../src/ledger/batch/due-work.ts';
import { noteServiceTime } from '../../src/ledger/batch/recover-batches.ts';
import { keyOf } from '../../src/ledger/engine/move.ts';
import { admitHere, askAgainWhenClosed } from '../admit-here.ts';
import { note, noteEnd, noteThrown } from '../note-failures.ts';
import { firstPollMs } from '../poll/poll-times.ts';
import { ringAfter, ringNowAndThen } from '../ring.ts';
import { eachAlone, type Stage } from '../stage.ts';
import { hasLookedAhead, lookAhead } from './look-ahead.ts';
import { type CallAnswer, LONGEST_STAND_MS, type OpenCall, openCall } from './open-call.ts';
import { nextBodies, type ReadBody } from './read-bodies.ts';
import { endOf, recordAnswer, report } from './record-answer.ts';

/** How an account's calls follow each other. */
export type Pace = {
  /** How long an account keeps a hand, in ms. With a slow service that is one call. */
  readonly sliceMs: number;
  /**
   * When the next connection is opened. `during`: while a call is in progress; its answer waits for it as briefly as can
   * be. `after`: at the answer, which waits for it, so that all comes in one order.
   */
  readonly opens: 'during' | 'after';
};

const PACE: Pace = { sliceMs: 1_000, opens: 'during' };

/**
 * Sends the batches of accounts, one call of an account at a time. Each account has a time slice, so that none keeps the
 * others waiting; those that waited longest come first.
 * @param pace for tests
 */
export function submitStage(pace: Partial<Pace> = {}): Stage<{ account: string }> {
  const servedAt = new Map<string, number>();
  const callMs = new Map<string, number>();
  return {
    name: 'submit',
    most: { things: 1, weight: 1 },
    isRepeated: true,
    notesItself: true,
    findDue: (app) => {
      const now = app.clock.now();
      const waited = (account: string) => servedAt.get(account) ?? 0;
      const open = [...app.settings.accounts.keys()]
        .filter((account) => mayBeSent(app, account))
        .toSorted((one, other) => waited(one) - waited(other));
      const closed = closedAccounts(app.settings.accounts.values(), now);
      return dueAccounts(
        app.ledger,
        open,
        closed.flatMap((name) => nextSendAt(app.account(name), now) ?? []),
      );
    },
    thingOf: (account) => ({ account }),
    itemOf: ({ account }) => itemOf(account),
    work: eachAlone(async (app, { account }, stop) => {
      servedAt.set(account, performance.now());
      return sendSome(app, account, stop, { ...PACE, ...pace, callMs });
    }),
    tell: (app) => ringAfter(app, 'poll'),
  };
}

const itemOf = (account: string) => ({ work: 'submit', subject: account, account }) as const;

/** Returns whether an account's window is open. An account that left the configuration has none. */
export function mayBeSent(app: App, account: string): boolean {
  const times = app.settings.accounts.get(account);
  return times === undefined || isWindowOpen(times, app.clock.now());
}

/** @param callMs how long the last call of each account took, in ms */
type Slice = Pace & { readonly callMs: Map<string, number> };

/**
 * Sends batches of an account for a time slice: ready -> sending -> submitted | refused | unknown. A batch goes back to
 * ready when it is proven that no byte left. An unclear answer is never followed by another send.
 *
 * While a call is in progress, the connection of the next one is opened. Once the service has taken the batch, one commit
 * ends this call and declares the next.
 * @param stop ends it after the call in progress; no call begins after it
 * @returns `later` when nothing could be tried
 */
async function sendSome(app: App, account: string, stop: AbortSignal, slice: Slice): Promise<'later' | void> {
  const began = performance.now();
  const mayGoOn = () => !stop.aborted && performance.now() - began < slice.sliceMs && mayBeSent(app, account);
  const usualMs = slice.opens === 'after' ? 0 : (slice.callMs.get(account) ?? 0);
  const bodies = nextBodies(app, account, usualMs === 0 ? undefined : Math.max(1, Math.ceil(slice.sliceMs / usualMs)));
  const openAhead = async () => {
    // With a slow service, the connection would be too old at the answer.
    const isOfUse = usualMs < LONGEST_STAND_MS / 2 && mayGoOn() && hasLookedAhead(app, account);
    if (!isOfUse) return undefined;
    // An answer must be recorded whatever becomes of the next call.
    return openNext(app, account, bodies.takeAhead).catch(() => undefined);
  };
  const polls = ringNowAndThen(app, 'poll');
  let hasTried = false;
  let call = stop.aborted ? undefined : begin(await openNext(app, account, bodies.take));
  while (call) {
    const calledAt = performance.now();
    const ended = await followUp(app, call, { opens: slice.opens, openAhead, mayGoOn });
    if (ended.state !== undefined) {
      hasTried = true;
      slice.callMs.set(account, performance.now() - calledAt);
    }
    if (ended.state === 'submitted') {
      const rung = polls.more().then(() => crashPoint('submit.poll-asked'));
      // The queue may be slow, and the answer to a call in progress must not wait for it.
      if (!ended.next) await rung;
    }
    if (ended.next) {
      call = ended.next;
      continue;
    }
    // What was read ahead may have changed, so another batch may be next.
    const mayFindNext = ended.state === 'submitted' ? !bodies.isDone() : ended.state === undefined && bodies.wasAhead();
    call = mayFindNext && mayGoOn() ? begin(await openNext(app, account, bodies.take)) : undefined;
  }
  return hasTried || stop.aborted ? undefined : 'later';
}

/** How long an answer waits for the next connection, in ms. Meanwhile only this process knows it, and a crash puts the call in doubt. */
const LONGEST_HOLD_MS = 5;

/** A call that is open, and how long to wait before its result is asked for, in ms. */
type Opened = OpenCall & { readonly firstPollMs: number };

/** Lets a call go that follows no other. */
function begin(call: Opened | undefined): Opened | undefined {
  void call?.letGo();
  return call;
}

/**
 * Opens the account's next call, unless it may not send at all.
 *
 * Outside the account's window nothing is opened. The window is checked once: a call that begins in it may end after it.
 */
async function openNext(
  app: App,
  account: string,
  take: () => Promise<ReadBody | undefined>,
): Promise<Opened | undefined> {
  // A ring may be older than the configuration: its account has another meaning or is asked about by now.
  if (!app.ledger.bound.has(account) || !mayBeSent(app, account)) return undefined;
  const firstMs = await prepare(app, account).catch(async (error: unknown) => {
    await noteThrown(app, itemOf(account), error);
    throw error;
  });
  const body = firstMs === undefined ? undefined : await take();
  const call = body && callOf(app.ledger, body.batch);
  return call && { ...openCall(app, call, body), firstPollMs: firstMs! };
}

/** @returns how long to wait before the result of a call is asked for, in ms; undefined when the account may not send */
async function prepare(app: App, account: string): Promise<number | undefined> {
  if (!app.ledger.admitted.sender && !(await admitHere(app))) return undefined;
  const ahead = await lookAhead(app, account);
  if (ahead.kind === 'failed') await note(app, itemOf(account), { reason: ahead.why }, LONGEST_RELEASE_MS);
  // Before the call, so that nothing comes between its answer and the ledger.
  return ahead.kind === 'clear' ? firstPollMs(app, account) : undefined;
}

type FollowUp = Pick<Pace, 'opens'> & {
  readonly openAhead: () => Promise<Opened | undefined>;
  readonly mayGoOn: () => boolean;
};

/**
 * Waits for the answer of a call that was let go and records it, with the declaration of the next call if that can be
 * done at once.
 * @returns the state of the batch; undefined when nothing of the call was written. `next` was let go
 */
function followUp(
  app: App,
  call: Opened,
  { opens, openAhead, mayGoOn }: FollowUp,
): Promise<{ state: BatchState | undefined; next?: Opened | undefined }> {
  const ahead = opens === 'during' ? call.leaves.then((leaves) => (leaves ? openAhead() : undefined)) : undefined;
  let opening = ahead;
  const recorded = app.telemetry.trace('submit', keyOf(call.call), async () => {
    app.telemetry.note({ account: call.call.account });
    const answer = await call.answer;
    if (answer.kind === 'withheld') {
      await askAgainWhenClosed(app);
      return { state: undefined };
    }
    crashPoint('submit.classified');
    const end = { call: call.call, end: endOf(answer, call.firstPollMs) };
    const isTaken = answer.kind === 'submitted';
    if (isTaken && mayGoOn()) opening ??= openAhead();
    const standing =
      opening && isTaken && mayGoOn() ? await standingIn(opening, ahead ? LONGEST_HOLD_MS : undefined) : undefined;
    const ended = await standing?.letGo(end);
    const state = ended === undefined ? await recordAnswer(app, end) : await report(app, end, ended);
    crashPoint('submit.recorded');
    const acted = actOn(app, call.call, answer);
    // It is in progress, and its answer must not wait. After an end that was not written, it was not declared.
    if (standing) return state === 'submitted' || ended === undefined ? { state, next: standing } : { state };
    await acted;
    const next = await opening;
    return next && state === 'submitted' && mayGoOn() && (await next.isOfUse())
      ? { state, next: begin(next) }
      : { state };
  });
  return recorded.finally(() => {
    // Without effect on a call that was let go.
    void opening?.then((next) => next?.keepBack());
  });
}

/** Returns the next call as soon as its connection stands. @param longestMs for no longer than this */
async function standingIn(
  opening: Promise<Opened | undefined>,
  longestMs: number | undefined,
): Promise<Opened | undefined> {
  const stands = opening.then(async (next) =>
    next && (await next.stands) && (await next.isOfUse()) ? next : undefined,
  );
  return longestMs === undefined ? stands : Promise.race([stands, wait(longestMs, undefined)]);
}

/** What an answer asks for besides its record. */
async function actOn(app: App, call: Call, answer: CallAnswer): Promise<void> {
  if (answer.kind === 'restricted') await stopAccount(app.ledger, call.account, answer.message);
  if (answer.kind === 'unknown' && !answer.serviceAt) await noteTime(app, call);
  if (answer.kind === 'not_sent') await note(app, itemOf(call.account), { reason: answer.why }, LONGEST_RELEASE_MS);
  else if (answer.kind !== 'unsure') await noteEnd(app, itemOf(call.account));
}

/**
 * Queries the service's clock when its answer gave no time. Only by that clock can a transaction report be judged for a
 * call in doubt. The doubt is already recorded; without the time a report proves less.
 */
async function noteTime(app: App, call: Call): Promise<void> {
  try {
    const at = await app.gateway(call).askTime();
    if (at) await noteServiceTime(app.ledger, call, at);
  } catch (error) {
    app.log.warn(keyOf(call), `the time of the service at the call is not known: ${reasonOf(error)}`);
  }
}
