import { type BackendFactory, type IQueueBackend, Queue, type Telemetry } from 'bullmq';
import { HOME_SITE, type QueueName, QUEUES } from '../../schemas/jobs.ts';
import { maskText } from '../kernel/mask.ts';
import type { QueueOptions } from './queue-options.ts';

/** BullMQ's queue for a name in `schemas/jobs.ts`, at one site or for all; for adding and querying. */
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
 * Which jobs to list:
 * - `waiting`: jobs still to run; `next`: those not delayed
 * - `live`: also those running, or apparently running because their worker was just killed; `pressing`: those not
 *   delayed
 */
export type Which = keyof typeof STATES;

/** The order matters, see `listIds`. */
const STATES = {
  waiting: ['delayed', 'prioritized', 'waiting'],
  next: ['prioritized', 'waiting'],
  live: ['delayed', 'prioritized', 'waiting', 'active'],
  pressing: ['prioritized', 'waiting', 'active'],
} as const;

/**
 * Lists the ids of jobs in one answer, without their contents: 10,000 take about 20 ms.
 *
 * PostgreSQL is queried state by state. A job only moves forward in this order, so one that moves in between is listed
 * in its next state and cannot be missed.
 */
export async function listIds(queue: NamedQueue, which: Which): Promise<Set<string>> {
  const stored = await queue.getRanges([...STATES[which]], 0, -1);
  return new Set(stored.map(fromStoredId));
}

/** Counts the jobs in each state, failed ones included. */
export function countJobs(queue: NamedQueue): Promise<Record<string, number>> {
  return queue.getJobCounts('waiting', 'delayed', 'active', 'prioritized', 'failed');
}

/** A job that failed: its id, the batch or file that it was about, and why. Everything is masked. */
export type FailedJob = { id: string; fileId?: string; batchNo?: number; says: string; at: Date };

/** What the server keeps of a queue: jobs in each state, since when the oldest waits, and the last failed jobs. */
export type QueueLook = { counts: Record<string, number>; oldestAt: Date | null; failed: FailedJob[] };

type BatchIds = { fileId?: string; batchNo?: number };

/** Failed jobs that are shown of each queue. */
const SHOWN_FAILED = 20;

/** Looks at a queue. Other programs may have put anything into it, so only ids of valid jobs are read. */
export async function lookAt(queue: NamedQueue, name: QueueName): Promise<QueueLook> {
  const [counts, [oldest], failed] = await Promise.all([
    countJobs(queue),
    queue.getJobs(['waiting', 'prioritized'], 0, 0, true),
    queue.getJobs(['failed'], 0, SHOWN_FAILED - 1),
  ]);
  return {
    counts,
    oldestAt: oldest ? new Date(oldest.timestamp) : null,
    failed: failed.map(({ id = '', data, failedReason, finishedOn, timestamp }) => {
      const ids = QUEUES[name].payload.safeParse(data);
      const { fileId, batchNo }: BatchIds = ids.success ? (ids.data as BatchIds) : {};
      return {
        id: maskText(fromStoredId(id)),
        ...(fileId !== undefined && { fileId: maskText(fileId) }),
        ...(batchNo !== undefined && { batchNo }),
        says: maskText(failedReason ?? ''),
        at: new Date(finishedOn ?? timestamp),
      };
    }),
  };
}

/** Letters, digits, `-`, `_` and `.`. BullMQ uses `:` as a separator in Redis and refuses it. */
const JOB_ID = /^[\w.-]{1,200}$/;

const PREFIX = 'job-';

/** Prefix of all keys in Redis. */
export const REDIS_PREFIX = 'paydrop';

/** Returns whether a job may have this id. */
export function isJobId(id: string): boolean {
  return JOB_ID.test(id);
}

/**
 * Returns the id under which BullMQ keeps a job. In Redis a job is stored beside the lists of its queue, so one called
 * `failed` would break the list of failed jobs. BullMQ also refuses whole numbers. The prefix avoids both.
 */
export function toStoredId(id: string): string {
  return PREFIX + id;
}

/** Returns the id that a job was added with. A job that another program added keeps its id. */
export function fromStoredId(storedId: string): string {
  return storedId.startsWith(PREFIX) ? storedId.slice(PREFIX.length) : storedId;
}

/** What BullMQ talks to. The queues and workers of one process share it, so they need few connections. */
export type QueueConnection = {
  /** Makes a backend, BullMQ's term for one queue's view of the server. The `connection` in its options is ignored. */
  readonly makeBackend: BackendFactory;
  /** Makes the server usable again after the whole queue was wiped from it. Cheap when there is nothing to do. */
  heal(): Promise<void>;
  /** Closes every connection, including those that are reconnecting. */
  close(): Promise<void>;
};

/** Lists where a payload is wrong and how, without its values, which may be anything. */
export function listFaults(error: { issues: readonly { path: readonly PropertyKey[]; code: string }[] }): string[] {
  return error.issues.map(({ path, code }) => [...path.map(String), code].join(' '));
}
