import type { App } from '../../src/app.ts';
import { reasonOf } from '../../src/kernel/errors.ts';
import type { Pulse } from '../../src/kernel/pulse.ts';
import { kindsOf, targetKey, tell } from '../../src/notify/tell.ts';
import { describeAlarm } from './alarms/describe-alarm.ts';
import { findTrouble, localSubject } from './alarms/find-local-causes.ts';
import { lookForAlarms } from './raise-alarms.ts';
import { sendNotices } from './send-notices.ts';

/** Looks for alarms and sends them, as often as the queue is swept. Nothing happens when nobody is to be told. */
export function startAlarms(app: App): { stop(): Promise<void> } {
  if (app.settings.alarms.length === 0) return { stop: async () => {} };
  const tellOfLedger = watchLedger(app);
  let running: Promise<void> = Promise.resolve();
  let telling: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let ledgerTimer: NodeJS.Timeout | undefined;
  let stopped = false;
  const busy = new Set<string>();
  const sending = new Set<Promise<void>>();
  /** Goes on beside the next turns: a target that hangs holds up nobody else. */
  const send = () => {
    const sent = withoutThrowing(app, () => sendNotices(app, busy)).finally(() => sending.delete(sent));
    sending.add(sent);
  };
  const turn = () => {
    running = withoutThrowing(app, () => lookForAlarms(app))
      .then(send)
      .finally(plan);
  };
  const plan = () => {
    if (!stopped) timer = setTimeout(turn, app.settings.sweepMs);
  };
  // On its own, because all else here waits for the ledger.
  const watch = () => {
    telling = withoutThrowing(app, tellOfLedger).finally(() => {
      if (!stopped) ledgerTimer = setTimeout(watch, app.settings.sweepMs / LOOKS_AT_LEDGER);
    });
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

/** Looks once and sends what waits. Trouble with it ends in the log: it must not hold up payments. */
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
    app.log.warn({ err: error }, `alarms cannot be looked for: ${reasonOf(error)}`);
  }
}

/** How often in the time between two sweeps. */
const LOOKS_AT_LEDGER = 5;

/**
 * That the ledger does not answer cannot be put into an outbox there, so everybody is told directly and this process
 * remembers who was. A server whose processes are frozen fails no sweep for minutes, so it is asked here as well.
 */
export function watchLedger(app: App): () => Promise<void> {
  const told = new Set<string>();
  const silenceOf = askOften(app);
  return async () => {
    const [cause] = [app.pulse.trouble, silenceOf()].flatMap((trouble) =>
      findTrouble(app, 'LEDGER_UNREACHABLE', 'ledger', trouble),
    );
    const about = cause ?? { kind: 'trouble', subject: localSubject(app, 'ledger'), account: null, figures: {} };
    const text = cause ? describeAlarm(cause) : `${about.subject}: it answers again.`;
    const notice = { ...about, event: cause ? 'raised' : 'cleared', text, at: app.clock.now() } as const;
    await Promise.all(
      app.settings.alarms.map(async (target) => {
        const key = targetKey(target);
        if (told.has(key) === (cause !== undefined) || !kindsOf(target).includes('trouble')) return;
        const fault = await tell(target, [notice], app.clock);
        if (fault !== undefined) app.log.warn({ target: key }, `an alarm could not be delivered: ${fault}`);
        else if (cause) told.add(key);
        else told.delete(key);
      }),
    );
  };
}

/** @returns what asks the ledger, unless it still has to answer, and says since when it has not */
function askOften(app: App): () => Pulse['trouble'] {
  let silence: Pulse['trouble'];
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
