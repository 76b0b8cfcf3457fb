import type { Payload } from '../schemas/jobs.ts';
import type { App } from '../src/app.ts';
import { reasonOf } from '../src/kernel/errors.ts';

/** How long a job goes on with its files, in ms. */
const TURN_MS = 1_000;

type Turn = {
  /** Ends the turn after the file that is being worked on. */
  signal: AbortSignal;
  /** Asks for the files that are left when the turn is over. */
  askAgain(fileIds: readonly string[]): Promise<void>;
  /** For tests. */
  turnMs?: number;
};

/**
 * Does the work of a job on one of its files after the other, as long as its turn lasts: no longer, so that nobody keeps the
 * others waiting. One file that fails does not keep those behind it from their work.
 * @throws what the first that failed has thrown, after the last
 */
export async function fileTurn(
  app: App,
  { fileId: first, more = [] }: Payload<'intake' | 'deliver'>,
  { signal, askAgain, turnMs = TURN_MS }: Turn,
  work: (fileId: string) => Promise<void>,
): Promise<void> {
  const began = performance.now();
  const left = [first, ...more];
  const failures: unknown[] = [];
  for (let fileId = left.shift(); fileId !== undefined; fileId = left.shift()) {
    try {
      await work(fileId);
    } catch (error) {
      if (more.length > 0) app.log.error({ fileId }, reasonOf(error));
      failures.push(error);
    }
    if (!signal.aborted && performance.now() - began < turnMs) continue;
    await askAgain(left);
    break;
  }
  if (failures.length > 0) throw failures[0];
}
