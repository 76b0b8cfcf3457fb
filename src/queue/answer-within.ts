import { PipelineError, reasonOf, systemCode } from '../kernel/errors.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';

/**
 * Returns the answer of the queue's server, or throws QUEUE_UNREACHABLE when it fails or takes longer than `limitMs`. A
 * late command may still take effect, which does no harm: a ring only makes a stage look.
 * @param action what is being done, with its object, for the message: `ring "submit"`
 * @param readCause what the connection itself reported a moment ago, such as a wrong password
 */
export async function answerWithin<Answer>(
  limitMs: number,
  action: string,
  answer: Promise<Answer>,
  readCause: () => string | undefined = () => undefined,
): Promise<Answer> {
  const late = failAfter(limitMs);
  try {
    return await Promise.race([answer, late.failure]);
  } catch (error) {
    throw new PipelineError('QUEUE_UNREACHABLE', action, tellReason(error, readCause()), { cause: error });
  } finally {
    late.cancel();
  }
}

function failAfter(limitMs: number): { failure: Promise<never>; cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  const failure = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  });
  return { failure, cancel: () => clearTimeout(timer) };
}

/** Messages of the Redis client and of our own limit that do not name a cause. */
const CAUSELESS = /^(Stream isn't writeable|Connection is closed|no answer within)/;

function tellReason(error: unknown, cause: string | undefined): string {
  const reason = shortReason(error);
  return cause !== undefined && CAUSELESS.test(reason) ? cause.replace(/\.$/, '') : reason;
}

/** Returns a short reason. Node reports a refused connection to a name with several addresses by code alone. */
export function shortReason(error: unknown): string {
  return reasonOf(error).replace(/\.$/, '') || (systemCode(error) ?? 'no reason given');
}

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
