import { silentLog } from '../../../src/kernel/log.ts';
import { openQueue, type QueueBackend } from '../../../src/queue/open-queue.ts';

/** A process that opens every queue and worker, says so, and closes them when its standard input ends. */
const backend = JSON.parse(process.argv[2] ?? '') as QueueBackend;
const queue = await openQueue(backend, silentLog());
for (const name of ['intake', 'submit', 'poll', 'deliver'] as const) queue.work(name, 2, async () => {});
await queue.add('deliver', 'deliver-f1', { fileId: 'f1' });
process.stdout.write('open\n');
process.stdin.resume().once('end', () => void queue.close());
