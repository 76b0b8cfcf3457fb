import { silentLog } from '../../../src/kernel/log.ts';
import { openQueue, type QueueBackend } from '../../../src/queue/open-queue.ts';
import { SHORT_LOCK } from './quick-options.ts';

/**
 * A process with workers, which says on standard output that it is `open` or `holding` a job.
 *
 * - `open` has one of every queue, and closes them when its standard input ends;
 * - `hold` takes a job and never finishes it.
 */
const backend = JSON.parse(process.argv[2] ?? '') as QueueBackend;
await { open, hold }[process.argv[3] as 'open' | 'hold']();

async function open(): Promise<void> {
  const queue = await openQueue(backend, silentLog());
  for (const name of ['intake', 'submit', 'poll', 'deliver'] as const) queue.work(name, 2, async () => {});
  await queue.add('deliver', 'deliver-f1', { fileId: 'f1' });
  process.stdout.write('open\n');
  process.stdin.resume().once('end', () => void queue.close());
}

async function hold(): Promise<void> {
  const queue = await openQueue(backend, silentLog(), { options: SHORT_LOCK });
  queue.work('submit', 1, async ({ batchNo }) => {
    process.stdout.write(`holding ${batchNo}\n`);
    await new Promise(() => {});
  });
}
