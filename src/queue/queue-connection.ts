import type { BackendFactory } from 'bullmq';

/** What BullMQ talks to. Queues and workers of one process share it, so their number costs few connections. */
export type QueueConnection = {
  /** BullMQ's own name for one queue's view of the server. The `connection` in its options is not looked at. */
  readonly makeBackend: BackendFactory;
  /** Makes the server usable again after everything of the queue was wiped from it. Cheap when there is nothing to do. */
  heal(): Promise<void>;
  /** Lets go of every connection, also of those that are just trying to come back. */
  close(): Promise<void>;
};
