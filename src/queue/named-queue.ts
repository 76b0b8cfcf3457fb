import { type BackendFactory, type IQueueBackend, Queue } from 'bullmq';
import { HOME_SITE, type QueueName, QUEUES } from '../../schemas/jobs.ts';
import { maskText } from '../kernel/mask.ts';
import type { QueueOptions } from './queue-options.ts';

/** BullMQ's queue for a name in `schemas/jobs.ts`, at one site or for all; for ringing and querying. */
export type NamedQueue = Queue<unknown, void, string, unknown, void, string, IQueueBackend>;

/** Returns BullMQ's name for a queue. Work that is done where a folder is located has one queue per site. */
export function queueNameAt(name: QueueName, site: string): string {
  return QUEUES[name].atSite && site !== HOME_SITE ? `${name}-at-${site}` : name;
}

export function openNamedQueue(
  name: string,
  connection: QueueConnection,
  options: QueueOptions,
  onError: (error: unknown) => void,
): NamedQueue {
  const queue: NamedQueue = new Queue(name, { connection: {}, defaultJobOptions: options.job }, connection.makeBackend);
  // Without a listener an `error` event ends the process.
  queue.on('error', onError);
  return queue;
}

/** Counts the jobs in each state, failed ones included. */
export function countJobs(queue: NamedQueue): Promise<Record<string, number>> {
  return queue.getJobCounts('waiting', 'delayed', 'active', 'prioritized', 'failed');
}

/** A ring that failed: its id, why, and when. Everything is masked. */
export type FailedJob = { id: string; says: string; at: Date };

/** What the server keeps of a queue: jobs in each state, since when the oldest waits, and the last failed jobs. */
export type QueueLook = { counts: Record<string, number>; oldestAt: Date | null; failed: FailedJob[] };

/** Failed jobs that are shown of each queue. */
const SHOWN_FAILED = 20;

/** Looks at a queue. Other programs may have put anything into it, so nothing but ids and reasons is read. */
export async function lookAt(queue: NamedQueue): Promise<QueueLook> {
  const [counts, [oldest], failed] = await Promise.all([
    countJobs(queue),
    queue.getJobs(['waiting', 'prioritized'], 0, 0, true),
    queue.getJobs(['failed'], 0, SHOWN_FAILED - 1),
  ]);
  return {
    counts,
    oldestAt: oldest ? new Date(oldest.timestamp) : null,
    failed: failed.map(({ id = '', failedReason, finishedOn, timestamp }) => ({
      id: maskText(id),
      says: maskText(failedReason ?? ''),
      at: new Date(finishedOn ?? timestamp),
    })),
  };
}

/** Prefix of all keys in Redis. */
export const REDIS_PREFIX = 'paydrop';

/** What BullMQ talks to. The queues and workers of one process share it, so they need few connections. */
export type QueueConnection = {
  /** Makes a backend, BullMQ's term for one queue's view of the server. The `connection` in its options is ignored. */
  readonly makeBackend: BackendFactory;
  /** Makes the server usable again after the whole queue was wiped from it. Cheap when there is nothing to do. */
  heal(): Promise<void>;
  /** Closes every connection, including those that are reconnecting. */
  close(): Promise<void>;
};
