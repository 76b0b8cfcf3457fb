import { type IQueueBackend, Queue } from 'bullmq';
import type { QueueName } from '../../schemas/jobs.ts';
import { fromStoredId } from './job-id.ts';
import type { QueueConnection } from './queue-connection.ts';
import type { QueueOptions } from './queue-options.ts';

/** BullMQ's queue of one of the names in schemas/jobs.ts, for adding and asking. */
export type NamedQueue = Queue<unknown, void, string, unknown, void, string, IQueueBackend>;

export function openNamedQueue(
  name: QueueName,
  connection: QueueConnection,
  options: QueueOptions,
  onError: (error: unknown) => void,
): NamedQueue {
  const queue: NamedQueue = new Queue(name, { connection: {}, defaultJobOptions: options.job }, connection.makeBackend);
  // Without a listener an `error` event ends the process.
  queue.on('error', onError);
  return queue;
}

/** `waiting`: jobs still to run. `live`: those that run as well, or look so because their worker was killed just now. */
export type Which = 'waiting' | 'live';

/**
 * Ids of jobs, in one answer without their contents: 10,000 take some 20 ms.
 *
 * PostgreSQL is asked state by state. A job only moves forward through this order, so one that moves in between is
 * listed in its next state and cannot be missed.
 */
export async function listIds(queue: NamedQueue, which: Which): Promise<Set<string>> {
  const states = ['delayed', 'prioritized', 'waiting'] as const;
  const stored = await queue.getRanges(which === 'live' ? [...states, 'active'] : [...states], 0, -1);
  return new Set(stored.map(fromStoredId));
}

/** How many jobs are in which state, failed ones included. */
export function countJobs(queue: NamedQueue): Promise<Record<string, number>> {
  return queue.getJobCounts('waiting', 'delayed', 'active', 'prioritized', 'failed');
}
