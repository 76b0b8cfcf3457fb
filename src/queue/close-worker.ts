import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../kernel/log.ts';

/** What closing needs of BullMQ's worker. */
type Closable = { readonly name: string; close(): Promise<void> };

/** How long BullMQ may take to let go after the last job ended, in ms. */
const LET_GO_MS = 3_000;

/**
 * Stops a worker: no new job, and the running ones are waited for, at most `waitMs` when it is given.
 *
 * BullMQ waits without end for a server that is away, so after the last job it has three seconds. What it leaves behind
 * does no harm: the connection is closed by its owner, and a job whose end could not be written down is given up by the
 * other workers when its lock runs out, and not run again.
 */
export async function closeWorker(stop: {
  worker: Closable;
  running: ReadonlySet<Promise<void>>;
  waitMs: number | undefined;
  log: Log;
}): Promise<void> {
  const { worker, running, waitMs, log } = stop;
  // Never rejects: BullMQ reports what goes wrong while closing as `error` events.
  const closed = worker.close();
  const isIdle = await endsWithin(waitForJobs(running), waitMs);
  const isClosed = isIdle && (await endsWithin(closed, LET_GO_MS));
  if (!isClosed) log.warn({ queue: worker.name, running: running.size }, 'a worker was left before it had closed');
}

/** A job that was being fetched when the worker closed may still start, hence the loop. */
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
