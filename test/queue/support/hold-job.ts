import { silentLog } from '../../../src/kernel/log.ts';
import { openQueue, type QueueBackend } from '../../../src/queue/open-queue.ts';
import { SHORT_LOCK } from './quick-options.ts';

/** A worker process that takes a job, reports it on standard output and never finishes it. */
const backend = JSON.parse(process.argv[2] ?? '') as QueueBackend;
const queue = await openQueue(backend, silentLog(), { options: SHORT_LOCK });
queue.work('submit', 1, async ({ batchNo }) => {
  process.stdout.write(`holding ${batchNo}\n`);
  await new Promise(() => {});
});
