import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectRedis } from '../../src/queue/inspect-redis.ts';
import { redisIsInstalled, redisVerdict, startTestRedis, type TestRedis } from '../support/redis.ts';
import { closedUrl } from '../workers/support/step-world.ts';

describe('inspectRedis', () => {
  it('says when it does not answer', async () => {
    const url = (await closedUrl()).replace('http', 'redis');
    await expect(inspectRedis(url)).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
  });

  it('was tried against a real Redis where there is one', () => {
    expect(redisVerdict().isFine).toBe(true);
  });
});

describe.runIf(redisIsInstalled())('inspectRedis, against Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startTestRedis();
  });
  afterAll(() => redis.stop());

  it('names a wrong password', async () => {
    const client = new Redis(redis.url);
    await client.config('SET', 'requirepass', 'right');
    await expect(inspectRedis(redis.url.replace('//', '//:wrong@'))).rejects.toThrow('WRONGPASS');
    await client.config('SET', 'requirepass', '');
    client.disconnect();
  });

  it('reads what decides whether it keeps the queue', async () => {
    expect(await inspectRedis(redis.url)).toEqual({
      version: expect.stringMatching(/^\d+\./),
      policy: 'noeviction',
      isAppendOnly: false,
    });
  });
});
