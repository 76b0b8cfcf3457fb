import { type Clock, systemClock } from '../kernel/clock.ts';
import { reasonOf, systemCode } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';

/** Most distinct reasons logged per window; in an outage BullMQ reports the same one hundreds of times. */
const REASONS = 5;
const WINDOW_MS = 10_000;

/**
 * Returns a listener for BullMQ's `error` events that logs each reason once in ten seconds. It counts the rest, and the
 * next logged line reports their number in `leftOut`.
 */
export function limitLog(log: Log, clock: Clock = systemClock): (error: unknown) => void {
  const said = new Set<string>();
  let windowEndsAt = 0;
  let leftOut = 0;
  return (error) => {
    const now = clock.now().getTime();
    if (now >= windowEndsAt) {
      windowEndsAt = now + WINDOW_MS;
      said.clear();
    }
    // Node reports a refused connection to a name with several addresses by code alone, without a message.
    const reason = reasonOf(error) || (systemCode(error) ?? 'no reason given');
    if (said.has(reason) || said.size >= REASONS) {
      leftOut += 1;
      return;
    }
    said.add(reason);
    log.warn({ reason, leftOut }, 'the queue reports an error');
    leftOut = 0;
  };
}
