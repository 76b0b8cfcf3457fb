import { type QueueName, QUEUES } from '../../../schemas/jobs.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { openQueue, type QueueBackend } from '../../../src/queue/open-queue.ts';
import { SHORT_LOCK } from './quick-options.ts';

/**
 * A process that hears rings, which says on standard output that it is `open` or `hearing` one.
 *
 * - `open` hears those of every queue, and stops when its standard input ends;
 * - `hold` hears one and never comes to an end with it.
 */
const backend = JSON.parse(process.argv[2] ?? '') as QueueBackend;
await { open, hold }[process.argv[3] as 'open' | 'hold']();

async function open(): Promise<void> {
  const queue = await openQueue(backend, silentLog());
  for (const name of Object.keys(QUEUES) as QueueName[]) queue.hear(name, async () => {});
  await queue.ring('deliver');
  process.stdout.write('open\n');
  process.stdin.resume().once('end', () => void queue.close());
}

async function hold(): Promise<void> {
  const queue = await openQueue(backend, silentLog(), { options: SHORT_LOCK });
  queue.hear('submit', async () => {
    process.stdout.write('hearing\n');
    await new Promise(() => {});
  });
}
