import { PipelineError } from '../kernel/errors.ts';

export type QueueOptions = typeof QUEUE_OPTIONS;

/** BullMQ's settings, all in one place. Times are in ms unless the comment says seconds. */
export const QUEUE_OPTIONS = {
  // Stored with every job.
  job: {
    // The next sweep makes the stage look, whatever became of a ring.
    attempts: 1,
    removeOnComplete: true,
    // Kept for the list of failed jobs: ids and a safe sentence.
    removeOnFail: { count: 1000 },
    // Stack traces repeat the message of the error, and foreign messages may hold data.
    stackTraceLimit: 0,
  },
  worker: {
    // BullMQ's default of 1 runs the job of a killed worker a second time, whatever `attempts` says.
    maxStalledCount: 0,
    // A ring is heard in a moment. Of a process that died meanwhile it is given up after this time and two intervals;
    // until then the sweeps of the others replace the rings.
    lockDuration: 15_000,
    stalledInterval: 5_000,
    // In seconds: how long an idle worker waits before it checks without a notification.
    drainDelay: 5,
    // BullMQ's 15 s would leave a worker stopped for that long after the server is back.
    runRetryDelay: 1_000,
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
