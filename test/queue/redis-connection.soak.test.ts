import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/kernel/log.ts';
import { openQueue } from '../../src/queue/open-queue.ts';
import { redisIsInstalled, startTestRedis, type TestRedis } from '../support/redis.ts';
import { startScript } from './support/start-script.ts';

describe.each(redisIsInstalled() ? ['connectRedis'] : [])('%s', () => {
  let redis: TestRedis;
  beforeEach(async () => {
    redis = await startTestRedis();
  });
  afterEach(() => redis.stop());

  it('closes while Redis is away, with a worker that waits', async () => {
    const queue = await openQueue({ kind: 'redis', url: redis.url }, silentLog());
    queue.work('submit', 1, async () => {});
    await queue.add('submit', 'submit-f1-1', { fileId: 'f1', batchNo: 1 });
    await expect.poll(() => queue.ids('submit', 'live')).toEqual(new Set());
    await redis.kill();
    await expect(queue.ids('submit', 'live')).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    await queue.close();
  });

  it('lets the process end while Redis is away', async () => {
    const script = await startScript('open-until-told.ts', { kind: 'redis', url: redis.url }, 'open');
    await redis.kill();
    script.stdin.end();
    expect(await script.ended).toBe(0);
  });
});
