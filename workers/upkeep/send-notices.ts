import type { App } from '../../src/app.ts';
import type { AlarmTarget } from '../../src/config/config.ts';
import { dropStrangers, noteDelivered, noteUndelivered } from '../../src/ledger/alarm/end-deliveries.ts';
import { readWaitingNotices } from '../../src/ledger/alarm/read-waiting-notices.ts';
import { withLock } from '../../src/ledger/engine/with-lock.ts';
import { targetKey, tell } from '../../src/notify/tell.ts';
import { note, noteEnd } from '../note-failures.ts';

/**
 * Sends what waits in the outbox, one process at a time for each target. After a death between sending and recording,
 * another process sends again: at least once, never silently lost.
 * @param busy targets still in progress from an earlier call; one that does not answer must not hold up the others
 */
export async function sendNotices(app: App, busy: Set<string> = new Set()): Promise<void> {
  const { alarms } = app.settings;
  await dropStrangers(app.ledger, alarms.map(targetKey));
  const free = alarms.filter((target) => !busy.has(targetKey(target)));
  await Promise.all(
    free.map(async (target) => {
      const key = targetKey(target);
      busy.add(key);
      await withLock(app.ledger, `notices:${key}`, () => sendWaiting(app, target)).finally(() => busy.delete(key));
    }),
  );
}

async function sendWaiting(app: App, target: AlarmTarget): Promise<void> {
  const key = targetKey(target);
  const notices = await readWaitingNotices(app.ledger, key);
  if (notices.length === 0) return;
  const fault = await tell(target, notices, app.clock);
  // The key reveals no address, so a person finds the target by its position.
  const subject = `${key} (entry ${app.settings.alarms.indexOf(target) + 1} of alarms)`;
  const item = { work: 'alarm', subject } as const;
  if (fault === undefined) {
    await noteEnd(app, item);
    return noteDelivered(app.ledger, key, notices);
  }
  await note(app, item, { reason: fault }, app.settings.sweepMs);
  app.log.warn({ target: key, waiting: notices.length }, `an alarm could not be delivered: ${fault}`);
  await noteUndelivered(app.ledger, key, notices, fault);
}
