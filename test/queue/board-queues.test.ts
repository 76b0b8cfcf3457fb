import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUEUES } from '../../schemas/jobs.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openQueue } from '../../src/queue/open-queue.ts';
import { QUEUE_SERVERS, type QueueServer } from './support/backends.ts';

describe.each(QUEUE_SERVERS)('boardQueues on $kind', ({ start }) => {
  let server: QueueServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());

  async function namesAt(site: string): Promise<string[][]> {
    const queue = await openQueue(server.backend, silentLog(), { site });
    const names = queue.boardQueues().map(({ name, queue: own }) => [name, (own as { name: string }).name]);
    await queue.close();
    return names;
  }

  it('hands out every queue once, at the home site by its own name', async () => {
    expect(await namesAt('main')).toEqual(Object.keys(QUEUES).map((name) => [name, name]));
  });

  it('hands out those of its site and those for all', async () => {
    const names = await namesAt('north');
    expect(names).toHaveLength(Object.keys(QUEUES).length);
    expect(names).toContainEqual(['deliver', 'deliver-at-north']);
    expect(names).toContainEqual(['submit', 'submit']);
  });
});
