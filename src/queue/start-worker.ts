import { setTimeout as wait } from 'node:timers/promises';
import { type IQueueBackend, type Job, Worker } from 'bullmq';
import type { QueueName } from '../../schemas/jobs.ts';
import type { Log } from '../kernel/log.ts';
import { type QueueConnection, queueNameAt } from './named-queue.ts';
import type { QueueOptions } from './queue-options.ts';
import { describeFailure, safeFailure } from './safe-failure.ts';

export type QueueWorker = {
  /**
   * Hears no new ring and waits for the one being heard, at most `waitMs` if given. What is still heard then continues
   * in the background while its process lives.
   */
  close(options?: { waitMs?: number }): Promise<void>;
};

type WorkerSetup = {
  name: QueueName;
  site: string;
  hear: () => Promise<void>;
  connection: QueueConnection;
  options: QueueOptions;
  log: Log;
  onError: (error: unknown) => void;
};

/** Hears the rings of one queue, one at a time. */
export function startWorker(setup: WorkerSetup): QueueWorker {
  const { name, site, connection, options, log, onError } = setup;
  const running = new Set<Promise<void>>();
  const worker = new Worker<unknown, void, string, IQueueBackend>(
    queueNameAt(name, site),
    (job) => keepTrack(running, runJob(setup, job)),
    { ...options.worker, connection: {} },
    (...wanted) => pauseAfterFailure(connection.makeBackend(...wanted)),
  );
  // Without a listener an `error` event ends the process.
  worker.on('error', onError);
  worker.on('stalled', (id) => {
    log.warn({ queue: name, job: id }, 'a process died or hung while it heard a ring; the next sweep looks');
  });
  let closing: Promise<void> | undefined;
  return {
    close: ({ waitMs } = {}) => (closing ??= closeWorker({ worker, running, waitMs, log })),
  };
}

/** Hears a ring, which any program may have written. What it holds is not read. */
async function runJob({ name, hear, log }: WorkerSetup, { id }: Job<unknown>): Promise<void> {
  try {
    await hear();
  } catch (error) {
    log.error({ queue: name, job: id, ...describeFailure(error) }, 'a ring failed');
    throw safeFailure(error);
  }
}

async function keepTrack(running: Set<Promise<void>>, work: Promise<void>): Promise<void> {
  running.add(work);
  try {
    await work;
  } finally {
    running.delete(work);
  }
}

/** How long a worker waits after a failed fetch, in ms. */
const FETCH_PAUSE_MS = 1_000;

/**
 * Delays the next fetch after any failure. BullMQ does so only for a refused connection. After other errors, such as
 * dropped tables or a starting server, it would retry at once, as fast as the machine can.
 */
function pauseAfterFailure(backend: IQueueBackend): IQueueBackend {
  const fetch = backend.moveToActive.bind(backend);
  backend.moveToActive = async (...request) => {
    try {
      return await fetch(...request);
    } catch (error) {
      await wait(FETCH_PAUSE_MS);
      throw error;
    }
  };
  return backend;
}

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
