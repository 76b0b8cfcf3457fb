import type { App } from '../../src/app.ts';
import { reasonOf } from '../../src/kernel/errors.ts';
import type { Health } from '../../src/kernel/health.ts';
import { kindsOf, type Recipient, targetKey, tell } from '../../src/notify/tell.ts';
import { describeAlarm } from './alarms/describe-alarm.ts';
import { findTrouble, localSubject, lookForAlarms, readRecipients } from './raise-alarms.ts';
import {
  dropStrangers,
  noteDelivered,
  noteUndelivered,
  readWaitingNotices,
} from '../../src/ledger/alarm/raise-alarms.ts';
import { withLock } from '../../src/ledger/engine/with-lock.ts';
import { note, noteEnd } from '../note-failures.ts';

/** Looks for alarms and sends them as often as the queue is swept; does nothing while there are no targets. */
export function startAlarms(app: App): { stop(): Promise<void> } {
  const tellOfLedger = watchLedger(app);
  let running: Promise<void> = Promise.resolve();
  let telling: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let ledgerTimer: NodeJS.Timeout | undefined;
  let stopped = false;
  const busy = new Set<string>();
  const sending = new Set<Promise<void>>();
  /** Runs beside the next rounds: a target that hangs holds up no other. */
  const send = () => {
    const sent = withoutThrowing(app, () => sendNotices(app, busy)).finally(() => sending.delete(sent));
    sending.add(sent);
  };
  const hasTargets = () => app.settings.alarms.length > 0;
  const turn = () => {
    if (!hasTargets()) return plan();
    running = withoutThrowing(app, () => lookForAlarms(app))
      .then(send)
      .finally(plan);
  };
  const plan = () => {
    if (!stopped) timer = setTimeout(turn, app.settings.sweepMs);
  };
  // On its own timer, because all else here waits for the ledger.
  const planWatch = () => {
    if (!stopped) ledgerTimer = setTimeout(watch, app.settings.sweepMs / LOOKS_AT_LEDGER);
  };
  const watch = () => {
    if (!hasTargets()) return planWatch();
    telling = withoutThrowing(app, tellOfLedger).finally(planWatch);
  };
  turn();
  watch();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      clearTimeout(ledgerTimer);
      await Promise.all([running, telling, ...sending]);
    },
  };
}

/** Looks once and sends what waits. Trouble ends in the log: it must not hold up payments. */
export async function tellAlarms(app: App): Promise<void> {
  if (app.settings.alarms.length === 0) return;
  await withoutThrowing(app, async () => {
    await lookForAlarms(app);
    await sendNotices(app);
  });
}

async function withoutThrowing(app: App, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    app.log.warn({ err: error }, `alarms cannot be checked: ${reasonOf(error)}`);
  }
}

/** How often between two sweeps. */
const LOOKS_AT_LEDGER = 5;

/**
 * Returns a check that reports a silent ledger to the targets directly, because the outbox is in it. This process
 * remembers which targets know. A server with frozen processes fails no sweep for minutes, so it is queried here too.
 */
export function watchLedger(app: App): () => Promise<void> {
  const told = new Set<string>();
  const silenceOf = askOften(app);
  return async () => {
    const [cause] = [app.health.trouble, silenceOf()].flatMap((trouble) =>
      findTrouble(app, 'LEDGER_UNREACHABLE', 'ledger', trouble),
    );
    const about = cause ?? { kind: 'trouble', subject: localSubject(app, 'ledger'), account: null, figures: {} };
    const text = cause ? describeAlarm(cause) : `${about.subject}: it answers again.`;
    const notice = { ...about, event: cause ? 'raised' : 'cleared', text, at: app.clock.now() } as const;
    await Promise.all(
      app.settings.alarms.map(async (target) => {
        const key = targetKey(target);
        if (told.has(key) === (cause !== undefined) || !kindsOf(target).includes('trouble')) return;
        const fault = await tell(target, [notice], app.clock, app.settings.dashboard?.url);
        if (fault !== undefined) app.log.warn({ target: key }, `an alarm could not be delivered: ${fault}`);
        else if (cause) told.add(key);
        else told.delete(key);
      }),
    );
  };
}

/** @returns a function that queries the ledger, unless a query is pending, and returns since when it is silent */
function askOften(app: App): () => Health['trouble'] {
  let silence: Health['trouble'];
  let isAsked = false;
  const ask = async () => {
    isAsked = true;
    await app.ledger.pool.query('SELECT').then(
      () => (silence = undefined),
      () => {},
    );
    isAsked = false;
  };
  return () => {
    const before = silence;
    silence ??= { since: app.clock.now(), code: 'LEDGER_UNREACHABLE', why: 'It does not answer.' };
    if (!isAsked) void ask();
    return before;
  };
}

/**
 * Sends what waits in the outbox, one process at a time for each target. After a death between sending and recording,
 * another process sends again: at least once, never silently lost.
 * @param busy targets still in progress from an earlier call; one that does not answer must not hold up the others
 */
export async function sendNotices(app: App, busy: Set<string> = new Set()): Promise<void> {
  const recipients = await readRecipients(app);
  await dropStrangers(app.ledger, recipients.map(targetKey));
  const free = recipients.filter((target) => !busy.has(targetKey(target)));
  await Promise.all(
    free.map(async (target) => {
      const key = targetKey(target);
      busy.add(key);
      await withLock(app.ledger, `notices:${key}`, () => sendWaiting(app, target)).finally(() => busy.delete(key));
    }),
  );
}

async function sendWaiting(app: App, target: Recipient): Promise<void> {
  const key = targetKey(target);
  const notices = await readWaitingNotices(app.ledger, key);
  if (notices.length === 0) return;
  const fault = await tell(target, notices, app.clock, app.settings.dashboard?.url);
  // The key reveals no address, so a person finds the target by its position.
  const place = target.person
    ? `mails of ${target.person}`
    : `entry ${app.settings.alarms.indexOf(target) + 1} of alarms`;
  const subject = `${key} (${place})`;
  const item = { work: 'alarm', subject } as const;
  if (fault === undefined) {
    await noteEnd(app, item);
    return noteDelivered(app.ledger, key, notices);
  }
  await note(app, item, { reason: fault }, app.settings.sweepMs);
  app.log.warn({ target: key, waiting: notices.length }, `an alarm could not be delivered: ${fault}`);
  await noteUndelivered(app.ledger, key, notices, fault);
}
