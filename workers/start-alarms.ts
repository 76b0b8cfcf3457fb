import type { App } from '../src/app.ts';
import { reasonOf } from '../src/kernel/errors.ts';
import { kindsOf, targetKey, tell } from '../src/notify/tell.ts';
import { describeAlarm } from './alarms/describe-alarm.ts';
import { findTrouble } from './alarms/find-local-causes.ts';
import { lookForAlarms } from './raise-alarms.ts';
import { sendNotices } from './send-notices.ts';

/** Looks for alarms and sends them, as often as the queue is swept. Nothing happens when nobody is to be told. */
export function startAlarms(app: App): { stop(): Promise<void> } {
  if (app.settings.alarms.length === 0) return { stop: async () => {} };
  const tellOfLedger = watchLedger(app);
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
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
      .then(tellOfLedger)
      .finally(plan);
  };
  const plan = () => {
    if (!stopped) timer = setTimeout(turn, app.settings.sweepMs);
  };
  turn();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
      await Promise.all(sending);
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

/**
 * That the ledger does not answer cannot be put into an outbox there, so everybody is told directly and this process
 * remembers who was.
 */
export function watchLedger(app: App): () => Promise<void> {
  const told = new Set<string>();
  return async () => {
    const [cause] = findTrouble(app, 'LEDGER_UNREACHABLE', 'ledger');
    if (!cause) told.clear();
    if (!cause) return;
    const notice = { ...cause, event: 'raised', text: describeAlarm(cause), at: app.clock.now() } as const;
    await Promise.all(
      app.settings.alarms.map(async (target) => {
        const key = targetKey(target);
        if (told.has(key) || !kindsOf(target).includes('trouble')) return;
        const fault = await tell(target, [notice], app.clock);
        if (fault === undefined) told.add(key);
        else app.log.warn({ target: key }, `an alarm could not be delivered: ${fault}`);
      }),
    );
  };
}
