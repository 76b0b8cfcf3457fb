import { PipelineError } from '../kernel/errors.ts';

export type QueueOptions = typeof QUEUE_OPTIONS;

const FAILED_KEPT = { count: 1000 };

/** BullMQ's settings, all in one place. Times are in ms unless the comment says seconds. */
export const QUEUE_OPTIONS = {
  // Stored with every job.
  job: {
    // A ring that failed is not repeated: the next sweep makes the stage look.
    attempts: 1,
    removeOnComplete: true,
    // Kept for the list of failed jobs: ids and a safe sentence.
    removeOnFail: FAILED_KEPT,
    // Stack traces repeat the message of the error, and foreign messages may hold data.
    stackTraceLimit: 0,
  },
  worker: {
    // BullMQ's default of 1 runs the job of a killed worker a second time, whatever `attempts` says.
    maxStalledCount: 0,
    // A ring is heard in a moment. If its process dies meanwhile, another gives it up after this time and two intervals.
    // Until then the sweeps stand in for the rings.
    lockDuration: 15_000,
    stalledInterval: 5_000,
    // In seconds: how long an idle worker waits before it checks without a notification.
    drainDelay: 5,
    // BullMQ's 15 s would leave a worker stopped for that long after the server is back.
    runRetryDelay: 1_000,
    // For jobs that were stored without our options: by another program, or before part of their record was lost.
    removeOnComplete: { count: 0 },
    removeOnFail: FAILED_KEPT,
  },
};

/**
 * Refuses settings that could make the queue run a job twice on its own. Runs before anything connects.
 * @throws PipelineError CONFIG_INVALID
 */
export function assertSafeOptions(options: QueueOptions): void {
  assertValue('attempts', options.job.attempts, 1);
  assertValue('maxStalledCount', options.worker.maxStalledCount, 0);
}

function assertValue(name: string, value: unknown, safe: number): void {
  if (value === safe) return;
  throw new PipelineError(
    'CONFIG_INVALID',
    'open the queue',
    `"${name}" is ${String(value)}, so a job could be run again without asking the ledger`,
    { next: `Set it back to ${safe}.` },
  );
}
