import type { Payload } from '../schemas/jobs.ts';
import type { App } from '../src/app.ts';
import { reasonOf } from '../src/kernel/errors.ts';
import { keepOrder } from './keep-order.ts';

/** How long a job goes on with its files, in ms. */
const TURN_MS = 1_000;

type Turn = {
  /** Ends the turn after the files that are being worked on. */
  signal: AbortSignal;
  /** Asks for the files that are left when the turn is over. */
  askAgain(fileIds: readonly string[]): Promise<void>;
  /** How many files are worked on at a time. */
  atOnce?: number;
  /** For tests. */
  turnMs?: number | undefined;
};

/**
 * Does the work of a job on its files in their order, as long as its turn lasts: no longer, so that nobody keeps the others
 * waiting. One file that fails does not keep those behind it from their work.
 * @param work `before` is over when the files before it are
 * @throws what the first that failed has thrown, after the last
 */
export async function fileTurn(
  app: App,
  { fileId: first, more = [] }: Payload<'intake' | 'deliver'>,
  { signal, askAgain, atOnce = 1, turnMs = TURN_MS }: Turn,
  work: (fileId: string, before: Promise<void>) => Promise<void>,
): Promise<void> {
  const began = performance.now();
  const isOver = () => signal.aborted || performance.now() - began >= turnMs;
  const left: string[] = [];
  const failures: unknown[] = [];
  await keepOrder([first, ...more], atOnce, async (fileId, before) => {
    if (fileId !== first && isOver()) {
      left.push(fileId);
      return;
    }
    try {
      await work(fileId, before);
    } catch (error) {
      if (more.length > 0) app.log.error({ fileId }, reasonOf(error));
      failures.push(error);
    }
  });
  await askAgain(left);
  if (failures.length > 0) throw failures[0];
}
