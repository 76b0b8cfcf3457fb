import { QUEUE_OPTIONS, type QueueOptions } from '../../../src/queue/queue-options.ts';

/** The product's options with short intervals. A lock outlives the pauses of a busy machine. */
export const QUICK_OPTIONS: QueueOptions = {
  ...QUEUE_OPTIONS,
  worker: { ...QUEUE_OPTIONS.worker, lockDuration: 30_000, stalledInterval: 300, drainDelay: 1, runRetryDelay: 100 },
};

/** For a worker that must be given up within a second of its death. */
export const SHORT_LOCK: QueueOptions = {
  ...QUICK_OPTIONS,
  worker: { ...QUICK_OPTIONS.worker, lockDuration: 1_000 },
};
