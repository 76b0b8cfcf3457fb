import { QUEUE_OPTIONS, type QueueOptions } from '../../../src/queue/queue-options.ts';

/** The product's options with short times, so that a test sees a dead worker given up within seconds. */
export const QUICK_OPTIONS: QueueOptions = {
  ...QUEUE_OPTIONS,
  worker: { ...QUEUE_OPTIONS.worker, lockDuration: 1_000, stalledInterval: 300, drainDelay: 1, runRetryDelay: 100 },
};
