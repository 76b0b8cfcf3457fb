import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectRedis } from '../../src/queue/redis-connection.ts';
import { redisIsInstalled, redisVerdict, startTestRedis, type TestRedis } from '../support/redis.ts';
import { closedUrl } from '../workers/support/step-world.ts';

describe('inspectRedis', () => {
  it('says when it does not answer', async () => {
    const url = (await closedUrl()).replace('http', 'redis');
    await expect(inspectRedis(url)).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
  });

  it(redisVerdict().sentence, () => {
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

  describe('says that it takes no writes, and leaves nothing', () => {
    const asked = async (spoil: (client: Redis) => Promise<unknown>, restore: (client: Redis) => Promise<unknown>) => {
      const client = new Redis(redis.url);
      try {
        await spoil(client);
        const state = await inspectRedis(redis.url);
        expect(await client.dbsize()).toBe(0);
        return state;
      } finally {
        await restore(client);
        client.disconnect();
      }
    };

    it.each([
      ['a full memory', 'maxmemory', '1', 'OOM'],
      ['too few replicas', 'min-replicas-to-write', '3', 'NOREPLICAS'],
    ])('%s', async (_, setting, value, code) => {
      const set = (to: string) => (client: Redis) => client.config('SET', setting, to);
      expect(await asked(set(value), set('0'))).toMatchObject({ refusal: expect.stringContaining(code) });
      expect(await inspectRedis(redis.url)).not.toHaveProperty('refusal');
    });

    it('a replica', async () => {
      const state = await asked(
        (client) => client.replicaof('127.0.0.1', 1),
        (client) => client.replicaof('NO', 'ONE'),
      );
      expect(state).toMatchObject({ refusal: expect.stringContaining('READONLY') });
    });

    it.each([
      ['paydrop:*', undefined],
      ['other:*', 'NOPERM'],
    ])('a right to write %s', async (keys, code) => {
      const rights =
        (...rules: string[]) =>
        (client: Redis) =>
          client.call('ACL', 'SETUSER', 'default', ...rules);
      const { refusal } = await asked(rights('resetkeys', `~${keys}`), rights('allkeys'));
      expect(refusal?.split(' ')[0]).toBe(code);
    });
  });
});
