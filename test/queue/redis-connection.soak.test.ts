import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { QueueName } from '../../schemas/jobs.ts';
import { openQueue, type Queue } from '../../src/queue/open-queue.ts';
import { redisIsInstalled, redisVerdict, startTestRedis, type TestRedis } from '../support/redis.ts';
import { letTimeFly } from './support/let-time-fly.ts';
import { type LogLine, logIntoLines } from './support/log-lines.ts';
import { startScript } from './support/start-script.ts';

const verdict = redisVerdict();

it(verdict.sentence, () => {
  expect(verdict.isFine).toBe(true);
});

describe.each(redisIsInstalled() ? ['connectRedis'] : [])('%s', () => {
  let redis: TestRedis;
  let queue: Queue;
  let lines: LogLine[];

  beforeEach(async () => {
    redis = await startTestRedis();
    const logged = logIntoLines();
    lines = logged.lines;
    queue = await openQueue({ kind: 'redis', url: redis.url }, logged.log);
  });
  afterEach(async () => {
    await queue.close();
    await redis.stop();
  });

  it('needs six connections for four queues with their workers, one for adding only, and none after close', async () => {
    const client = new Redis(redis.url);
    // The list includes the querying client.
    const countConnections = async () =>
      String(await client.client('LIST'))
        .trim()
        .split('\n').length - 1;
    expect(await countConnections()).toBe(1);
    for (const name of ['intake', 'submit', 'poll', 'deliver'] satisfies QueueName[])
      queue.work(name, 8, async () => {});
    await expect.poll(countConnections).toBe(6);
    await queue.close();
    await expect.poll(countConnections).toBe(0);
    client.disconnect();
  });

  it('keeps its keys under its prefix', async () => {
    await queue.add('intake', 'intake-f1', { fileId: 'f1' });
    const client = new Redis(redis.url);
    const keys = await client.keys('*');
    client.disconnect();
    expect(keys).toContain('paydrop:intake:job-intake-f1');
    expect(keys.filter((key) => !key.startsWith('paydrop:'))).toEqual([]);
  });

  it('refuses to add while Redis is away, and works again when it is back', async () => {
    const handled: number[] = [];
    queue.work('submit', 1, async ({ batchNo }) => void handled.push(batchNo));
    await queue.add('submit', 'submit-f1-1', { fileId: 'f1', batchNo: 1 });
    await expect.poll(() => handled).toEqual([1]);

    await redis.kill();
    const addAgain = () => queue.add('submit', 'submit-f1-2', { fileId: 'f1', batchNo: 2 });
    await expect(addAgain()).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    await expect(queue.ids('submit', 'live')).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });

    await redis.restart();
    await expect.poll(addAgain).toBeUndefined();
    await expect.poll(() => handled).toEqual([1, 2]);
    // Hundreds of errors occur in that time.
    expect(lines.filter(({ msg }) => msg === 'the queue reports an error').length).toBeLessThanOrEqual(15);
  });

  it('says why Redis does not let it in', async () => {
    const client = new Redis(redis.url);
    await client.config('SET', 'requirepass', 'right');
    const wrong = { kind: 'redis', url: redis.url.replace('//', '//:wrong@') } as const;
    await expect(openQueue(wrong, logIntoLines().log)).rejects.toThrow('Cannot open the queue: WRONGPASS');

    await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await expect(queue.ids('submit', 'live')).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    await expect
      .poll(() => queue.ids('submit', 'live').catch(String))
      .toContain('Cannot list the jobs of "submit": NOAUTH');
    client.disconnect();
  });

  it('closes while Redis is away, with a worker that waits', async () => {
    queue.work('submit', 1, async () => {});
    await queue.add('submit', 'submit-f1-1', { fileId: 'f1', batchNo: 1 });
    await expect.poll(() => queue.ids('submit', 'live')).toEqual(new Set());
    await redis.kill();
    await expect(queue.ids('submit', 'live')).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    await letTimeFly(() => queue.close());
  });

  it('lets the process end while Redis is away', async () => {
    const script = await startScript('open-until-told.ts', { kind: 'redis', url: redis.url }, 'open');
    await redis.kill();
    script.stdin.end();
    expect(await script.ended).toBe(0);
  });
});
