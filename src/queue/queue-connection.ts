import type { BackendFactory } from 'bullmq';

/** What BullMQ talks to. The queues and workers of one process share it, so they need few connections. */
export type QueueConnection = {
  /** Makes a backend, BullMQ's term for one queue's view of the server. The `connection` in its options is ignored. */
  readonly makeBackend: BackendFactory;
  /** Makes the server usable again after the whole queue was wiped from it. Cheap when there is nothing to do. */
  heal(): Promise<void>;
  /** Closes every connection, including those that are reconnecting. */
  close(): Promise<void>;
};
