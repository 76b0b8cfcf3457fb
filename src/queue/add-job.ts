import { type Payload, QUEUES, type QueueName } from '../../schemas/jobs.ts';
import type { Log } from '../kernel/log.ts';
import { isJobId, toStoredId } from './job-id.ts';
import { listFaults } from './list-faults.ts';
import type { NamedQueue } from './named-queue.ts';

/**
 * Adds one job. Its id must be new (`workers/wake.ts` ends each with a random text). BullMQ silently adds nothing while
 * a job with this id, or the record of a failed one, exists. Checking first would cost as much as adding. A malformed
 * job is logged and dropped: no caller can fix that bug, and the ledger still knows what to do.
 */
export async function addJob<Name extends QueueName>(job: {
  queue: NamedQueue;
  name: Name;
  id: string;
  payload: Payload<Name>;
  delayMs: number;
  log: Log;
}): Promise<void> {
  const { queue, name, id, delayMs, log } = job;
  const payload = QUEUES[name].payload.safeParse(job.payload);
  if (!payload.success || !isJobId(id)) {
    const faults = payload.success ? ['id'] : listFaults(payload.error);
    log.error({ queue: name, faults }, 'a malformed job was not added');
    return;
  }
  await queue.add(name, payload.data, { jobId: toStoredId(id), delay: Math.max(0, delayMs) });
}
