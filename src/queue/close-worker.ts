import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../kernel/log.ts';

/** What closing needs of BullMQ's worker. */
type Closable = { readonly name: string; close(): Promise<void> };

/** How long BullMQ may take to close after the last job ended, in ms. */
const LET_GO_MS = 3_000;

/**
 * Stops a worker. It takes no new job and waits for the running ones, at most `waitMs` if given.
 *
 * BullMQ would wait forever for a server that is away, so it gets three seconds after the last job. Leftovers do no
 * harm: the owner of the connection closes it. If the end of a job could not be recorded, other workers give it up when
 * its lock expires, and do not run it again.
 */
export async function closeWorker(stop: {
  worker: Closable;
  running: ReadonlySet<Promise<void>>;
  waitMs: number | undefined;
  log: Log;
}): Promise<void> {
  const { worker, running, waitMs, log } = stop;
  // Never rejects: BullMQ reports errors while closing as `error` events.
  const closed = worker.close();
  const isIdle = await endsWithin(waitForJobs(running), waitMs);
  const isClosed = isIdle && (await endsWithin(closed, LET_GO_MS));
  if (!isClosed) log.warn({ queue: worker.name, running: running.size }, 'a worker was left before it had closed');
}

/** Waits in a loop, because a job that was being fetched when the worker closed may still start. */
async function waitForJobs(running: ReadonlySet<Promise<void>>): Promise<void> {
  while (running.size > 0) await Promise.allSettled(running);
}

async function endsWithin(work: Promise<void>, limitMs: number | undefined): Promise<boolean> {
  if (limitMs === undefined) return work.then(() => true);
  const stop = new AbortController();
  const late = wait(limitMs, false, { signal: stop.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    stop.abort();
  }
}
