import { PipelineError } from '../kernel/errors.ts';

/** BullMQ's settings, all in one place. Times are in ms unless BullMQ wants seconds, which the comment says. */
export type QueueOptions = {
  /** Kept with every job. */
  readonly job: {
    readonly attempts: number;
    readonly removeOnComplete: boolean;
    readonly removeOnFail: { readonly count: number };
    readonly stackTraceLimit: number;
  };
  readonly worker: {
    readonly maxStalledCount: number;
    readonly lockDuration: number;
    readonly stalledInterval: number;
    readonly drainDelay: number;
    readonly runRetryDelay: number;
  };
};

export const QUEUE_OPTIONS: QueueOptions = {
  job: {
    // A job that failed is looked at again by the sweep, which asks the ledger first. BullMQ asks nobody.
    attempts: 1,
    // A finished job that is kept would swallow the next job of the same id.
    removeOnComplete: true,
    // Kept for the operator's queue board: ids and a safe sentence.
    removeOnFail: { count: 1000 },
    // Stack traces carry the message of the error a second time, and foreign messages may hold data.
    stackTraceLimit: 0,
  },
  worker: {
    // BullMQ's default of 1 runs the job of a killed worker a second time, whatever `attempts` says.
    maxStalledCount: 0,
    // Longer than any pause of a healthy process. A job whose lock ran out is given up, not run again, and its id is
    // free for the sweep after at most this time and two intervals.
    lockDuration: 60_000,
    stalledInterval: 15_000,
    // In seconds: how long an idle worker waits before it looks without having been told.
    drainDelay: 5,
    // BullMQ's 15 s would be the time that a worker stands still after the server is back.
    runRetryDelay: 1_000,
  },
};

/**
 * Refuses settings under which the queue could run a job twice by itself. It is run before anything connects.
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
