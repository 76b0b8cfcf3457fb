import { type Payload, QUEUES, type QueueName } from '../../schemas/jobs.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import type { Queue } from '../../src/queue/open-queue.ts';

/** Queues of files and batches. A simulation configures no schedule. */
export type FileQueue = Exclude<QueueName, 'schedule'>;

export type Job = {
  readonly name: FileQueue;
  readonly id: string;
  readonly payload: Payload<FileQueue>;
  readonly dueMs: number;
};

/** A queue that does nothing by itself: the simulation decides which job runs, is lost, doubled or run too early. */
export type MemoryQueue = {
  /** The queue as an instance sees it. */
  readonly queue: Queue;
  /** In order of arrival. */
  waiting(): readonly Job[];
  /** Moves the job from waiting to running. */
  take(job: Job): void;
  /** Marks a job as run, whatever its outcome. A dead instance's job is not: the queue still counts it as running. */
  finish(job: Job): void;
  /** Drops the running jobs of dead instances, as a queue does when their locks run out. */
  giveUpDead(): void;
  /** Adds the same job once more. */
  double(job: Job): void;
  drop(job: Job): void;
  /** As after a FLUSHALL. */
  dropAll(): void;
};

export function memoryQueue(clock: Clock): MemoryQueue {
  let waiting: Job[] = [];
  let running: Job[] = [];
  const idsOf = (jobs: readonly Job[], name: QueueName) => jobs.filter((job) => job.name === name).map(({ id }) => id);
  const isLive = (name: QueueName, id: string) =>
    [...waiting, ...running].some((job) => job.name === name && job.id === id);
  return {
    queue: {
      add: async (name, id, payload, { delayMs = 0 } = {}) => {
        QUEUES[name].payload.parse(payload);
        if (isLive(name, id)) return;
        const job = { name, id, payload } as Pick<Job, 'name' | 'id' | 'payload'>;
        waiting.push({ ...job, dueMs: clock.now().getTime() + delayMs });
      },
      ids: async (name, which) => new Set(idsOf(which === 'live' ? [...waiting, ...running] : waiting, name)),
      work: () => {
        throw new Error('nobody works by itself in a simulation');
      },
      plan: async () => {},
      counts: async (name) => ({ waiting: idsOf(waiting, name).length, active: idsOf(running, name).length }),
      heal: async () => {},
      look: async () => ({ counts: {}, oldestAt: null, failed: [] }),
      close: async () => {},
    },
    waiting: () => waiting,
    take: (job) => {
      waiting = waiting.filter((other) => other !== job);
      running.push(job);
    },
    finish: (job) => {
      running = running.filter((other) => other !== job);
    },
    giveUpDead: () => {
      running = [];
    },
    double: (job) => {
      // The job key stays, so the sweep still recognizes the job.
      waiting.push({ ...job, id: job.id.replace(/[0-9a-f]{8}$/, 'd0b1ed00') });
    },
    drop: (job) => {
      waiting = waiting.filter((other) => other !== job);
    },
    dropAll: () => {
      waiting = [];
      running = [];
    },
  };
}
