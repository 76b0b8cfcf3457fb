import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PipelineError } from '../../src/kernel/errors.ts';
import { assertSafeOptions, QUEUE_OPTIONS, type QueueOptions } from '../../src/queue/queue-options.ts';
import { type NamedQueue, openNamedQueue, type QueueConnection } from '../../src/queue/named-queue.ts';
import { connectForeign, QUEUE_SERVERS, type QueueServer } from './support/queue-world.ts';
import { openQueue, type Queue } from '../../src/queue/open-queue.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { FOREIGN_FAILURE } from '../../src/queue/safe-failure.ts';

describe('QUEUE_OPTIONS', () => {
  it('is safe, and keeps no more of a job than its ids and a sentence', () => {
    expect(() => assertSafeOptions(QUEUE_OPTIONS)).not.toThrow();
    expect(QUEUE_OPTIONS.job).toEqual({
      attempts: 1,
      removeOnComplete: true,
      removeOnFail: { count: 1000 },
      stackTraceLimit: 0,
    });
    // Jobs that were stored with other options than ours are kept no longer.
    expect(QUEUE_OPTIONS.worker).toMatchObject({ removeOnComplete: { count: 0 }, removeOnFail: { count: 1000 } });
  });

  it('renews a lock several times before it is taken for that of a dead worker', () => {
    const { lockDuration, stalledInterval } = QUEUE_OPTIONS.worker;
    expect(lockDuration).toBe(15_000);
    expect(stalledInterval).toBeLessThanOrEqual(lockDuration / 2);
  });
});

describe('assertSafeOptions', () => {
  it.each<[string, Partial<QueueOptions['job']>, Partial<QueueOptions['worker']>]>([
    ['"attempts" is 2', { attempts: 2 }, {}],
    ['"attempts" is 0', { attempts: 0 }, {}],
    ['"attempts" is NaN', { attempts: Number.NaN }, {}],
    ['"maxStalledCount" is 1', {}, { maxStalledCount: 1 }],
    // BullMQ replaces a missing value with its own 1.
    ['"maxStalledCount" is undefined', {}, { maxStalledCount: undefined as unknown as number }],
  ])('refuses %s', (said, job, worker) => {
    const weakened = { job: { ...QUEUE_OPTIONS.job, ...job }, worker: { ...QUEUE_OPTIONS.worker, ...worker } };
    const refusal = expect(() => assertSafeOptions(weakened));
    refusal.toThrow(PipelineError);
    refusal.toThrow(said);
  });
});

describe.each(QUEUE_SERVERS)('look on $kind', ({ start }) => {
  const CARD = '4222222222222220';
  let server: QueueServer;
  let queue: Queue;
  let connection: QueueConnection;
  const foreign = (name: string): NamedQueue => openNamedQueue(name, connection, QUEUE_OPTIONS, () => {});
  beforeAll(async () => {
    server = await start();
    queue = await openQueue(server.backend, silentLog());
    connection = await connectForeign(server.backend);
  });
  afterAll(async () => {
    await connection.close();
    await queue.close();
    await server.stop();
  });

  it('counts the jobs of a queue and says since when the oldest waits', async () => {
    expect(await queue.look('intake')).toMatchObject({ oldestAt: null, failed: [] });
    const before = Date.now();
    await queue.ring('intake');
    await queue.ring('intake');
    await foreign('intake').add('strange', { cardNumber: CARD }, { delay: 60_000 });
    const { counts, oldestAt } = await queue.look('intake');
    expect(counts).toMatchObject({ waiting: 1, delayed: 1, active: 0, failed: 0 });
    expect(Math.abs(oldestAt!.getTime() - before)).toBeLessThan(60_000);
  });

  it('says why a job failed, with its id masked and nothing of its data', async () => {
    await foreign('deliver').add('strange', { fileId: 'f1', cardNumber: CARD }, { jobId: `deliver-${CARD}` });
    const worker = queue.hear('deliver', () => Promise.reject(new Error(`cannot send ${CARD}`)));
    await expect.poll(async () => (await queue.look('deliver')).failed.length, { timeout: 30_000 }).toBe(1);
    const { failed } = await queue.look('deliver');
    expect(failed).toEqual([{ id: 'deliver-************2220', says: FOREIGN_FAILURE, at: expect.any(Date) }]);
    await worker.close();
  });
});
