import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openQueue, type Queue } from '../../src/queue/open-queue.ts';
import { QUEUE_SERVERS, type QueueServer } from './support/backends.ts';
import { collect } from './support/collect.ts';
import { counts } from './support/job-counts.ts';
import { logIntoLines } from './support/log-lines.ts';
import { QUICK_OPTIONS } from './support/quick-options.ts';
import { startScript } from './support/start-script.ts';

describe.each(QUEUE_SERVERS)('a queue on $kind', ({ start }) => {
  let server: QueueServer;
  let queue: Queue;
  const { log, lines } = logIntoLines();

  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());

  beforeEach(async () => {
    lines.length = 0;
    queue = await openQueue(server.backend, log, { options: QUICK_OPTIONS });
  });
  afterEach(async () => {
    await queue.close();
    await server.empty();
  });

  it('does not run the job of a killed worker again', async () => {
    await queue.add('submit', 'submit-f1-1', { fileId: 'f1', batchNo: 1 });
    const holder = await startScript('hold-job.ts', server.backend, 'holding 1');
    holder.kill('SIGKILL');
    expect(await holder.ended).toBe('SIGKILL');
    expect(await queue.ids('submit', 'live')).toEqual(new Set(['submit-f1-1']));

    const got = collect();
    queue.work('submit', 1, got.take);
    await expect.poll(() => queue.counts('submit')).toEqual(counts({ failed: 1 }));
    expect(got.count()).toBe(0);
    expect(lines.map(({ msg }) => msg)).toContain('a worker died or hung; its job is not run again');
    // The sweep adds it again under a new id when the ledger says that it is still due.
    await queue.add('submit', 'submit-f1-1-again', { fileId: 'f1', batchNo: 1 });
    expect(await got.next()).toEqual({ fileId: 'f1', batchNo: 1 });
  });
});
