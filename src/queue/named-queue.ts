import { type IQueueBackend, Queue, type Telemetry } from 'bullmq';
import { QUEUES, type QueueName } from '../../schemas/jobs.ts';
import { HOME_SITE } from '../../schemas/roles.ts';
import { fromStoredId } from './job-id.ts';
import type { QueueConnection } from './queue-connection.ts';
import type { QueueOptions } from './queue-options.ts';

/** BullMQ's queue of one of the names in schemas/jobs.ts, at a site or for all, for adding and asking. */
export type NamedQueue = Queue<unknown, void, string, unknown, void, string, IQueueBackend>;

/** The name that BullMQ knows it by: what is done where a folder lies has a queue for each site. */
export function queueNameAt(name: QueueName, site: string): string {
  return QUEUES[name].atSite && site !== HOME_SITE ? `${name}-at-${site}` : name;
}

export function openNamedQueue(
  name: string,
  connection: QueueConnection,
  options: QueueOptions,
  onError: (error: unknown) => void,
  telemetry?: Telemetry,
): NamedQueue {
  const queue: NamedQueue = new Queue(
    name,
    { connection: {}, defaultJobOptions: options.job, ...(telemetry && { telemetry }) },
    connection.makeBackend,
  );
  // Without a listener an `error` event ends the process.
  queue.on('error', onError);
  return queue;
}

/**
 * `waiting`: jobs still to run. `next`: those of them that do not wait for a time.
 * `live`: jobs still to run and those that run, or look so because their worker was killed just now. `pressing`: those of
 * them that do not wait for a time.
 */
export type Which = keyof typeof STATES;

/** In this order, see listIds. */
const STATES = {
  waiting: ['delayed', 'prioritized', 'waiting'],
  next: ['prioritized', 'waiting'],
  live: ['delayed', 'prioritized', 'waiting', 'active'],
  pressing: ['prioritized', 'waiting', 'active'],
} as const;

/**
 * Ids of jobs, in one answer without their contents: 10,000 take some 20 ms.
 *
 * PostgreSQL is asked state by state. A job only moves forward through this order, so one that moves in between is
 * listed in its next state and cannot be missed.
 */
export async function listIds(queue: NamedQueue, which: Which): Promise<Set<string>> {
  const stored = await queue.getRanges([...STATES[which]], 0, -1);
  return new Set(stored.map(fromStoredId));
}

/** How many jobs are in which state, failed ones included. */
export function countJobs(queue: NamedQueue): Promise<Record<string, number>> {
  return queue.getJobCounts('waiting', 'delayed', 'active', 'prioritized', 'failed');
}
