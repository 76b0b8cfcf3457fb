import { type Payload, QUEUES, type QueueName } from '../../schemas/jobs.ts';
import type { Log } from '../kernel/log.ts';
import { isJobId, toStoredId } from './job-id.ts';
import { listFaults } from './list-faults.ts';
import type { NamedQueue } from './named-queue.ts';

/**
 * Adds one job, unless one of its id is waiting, delayed or running. A malformed job is logged and dropped: it is a
 * fault of the program that no caller can mend, and the ledger still knows what is to be done.
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
  const jobId = toStoredId(id);
  if (await isLive(queue, jobId)) return;
  await queue.add(name, payload.data, { jobId, delay: Math.max(0, delayMs) });
}

/**
 * Whether a job of this id is still to run. The record of one that failed is removed on the way: BullMQ would take it
 * for the same job and quietly add nothing, for as long as the record is kept.
 *
 * Two processes may do this at once. BullMQ does not remove a job that runs, and one that waits is added again by the
 * next line, so at worst the job is there once.
 */
async function isLive(queue: NamedQueue, jobId: string): Promise<boolean> {
  const state = await queue.getJobState(jobId);
  if (state === 'unknown') return false;
  if (state !== 'failed' && state !== 'completed') return true;
  await queue.remove(jobId);
  return false;
}
