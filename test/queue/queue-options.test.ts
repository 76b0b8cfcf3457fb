import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PipelineError } from '../../src/kernel/errors.ts';
import { assertSafeOptions, QUEUE_OPTIONS, type QueueOptions } from '../../src/queue/queue-options.ts';
import { type Payload, QUEUES } from '../../schemas/jobs.ts';
import { fromStoredId, isJobId, listFaults, type NamedQueue, toStoredId } from '../../src/queue/named-queue.ts';
import { logIntoLines, QUEUE_SERVERS, type QueueServer } from './support/queue-world.ts';
import { addJob, openQueue, type Queue } from '../../src/queue/open-queue.ts';
import { silentLog } from '../../src/kernel/log.ts';

describe('QUEUE_OPTIONS', () => {
  it('is safe, and keeps no more of a job than its ids and a sentence', () => {
    expect(() => assertSafeOptions(QUEUE_OPTIONS)).not.toThrow();
    expect(QUEUE_OPTIONS.job).toEqual({
      attempts: 1,
      removeOnComplete: true,
      removeOnFail: { count: 1000 },
      stackTraceLimit: 0,
    });
  });

  it('renews a lock several times before it is taken for that of a dead worker', () => {
    const { lockDuration, stalledInterval } = QUEUE_OPTIONS.worker;
    expect(lockDuration).toBe(60_000);
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

/** Stands in for BullMQ's queue when adding; `open-queue.soak.test.ts` shows the same on real servers. */
function fakeQueue() {
  const calls: unknown[][] = [];
  const queue = { add: async (...job: unknown[]) => void calls.push(['add', ...job]) };
  return { calls, queue: queue as unknown as NamedQueue };
}

async function add(changes: { id?: string; payload?: unknown; delayMs?: number } = {}) {
  const { calls, queue } = fakeQueue();
  const { log, lines } = logIntoLines();
  const payload = (changes.payload ?? { fileId: 'f1', batchNo: 1 }) as Payload<'submit'>;
  const { id = 'submit-f1-1', delayMs = 0 } = changes;
  await addJob({ queue, name: 'submit', id, payload, delayMs, log });
  return { calls, lines };
}

const added = (delay: number) => ['add', 'submit', { fileId: 'f1', batchNo: 1 }, { jobId: 'job-submit-f1-1', delay }];

describe('addJob', () => {
  it('adds a job with one question', async () => {
    expect((await add({ delayMs: 500 })).calls).toEqual([added(500)]);
  });

  it('takes a moment that has passed for now', async () => {
    expect((await add({ delayMs: -7 })).calls).toEqual([added(0)]);
  });

  it.each<[string, { id?: string; payload?: unknown }, string[]]>([
    ['more than ids', { payload: { fileId: 'f1', batchNo: 1, cardNumber: '4222222222222220' } }, ['unrecognized_keys']],
    ['no batch', { payload: { fileId: 'f1' } }, ['batchNo invalid_type']],
    ['an id that BullMQ would refuse', { id: 'submit:4222222222222220' }, ['id']],
  ])('logs and drops a job with %s, asking nobody', async (_what, changes, faults) => {
    const { calls, lines } = await add(changes);
    expect(calls).toEqual([]);
    expect(lines).toMatchObject([{ level: 'error', queue: 'submit', faults, msg: 'a malformed job was not added' }]);
    expect(JSON.stringify(lines)).not.toContain('4222222222222220');
  });
});

describe('isJobId', () => {
  it.each(['submit-0123456789abcdef-1', 'poll-f1-1.2', 'failed', '7'])('takes %s', (id) => {
    expect(isJobId(id)).toBe(true);
  });

  it.each(['', 'submit:f1', 'sub mit', 'f1\n', 'é', 'x'.repeat(201)])('refuses %j', (id) => {
    expect(isJobId(id)).toBe(false);
  });
});

describe('toStoredId', () => {
  it.each(['failed', 'wait', 'meta', '7'])('keeps %s away from names of BullMQ and from whole numbers', (id) => {
    expect(toStoredId(id)).toBe(`job-${id}`);
  });
});

describe('fromStoredId', () => {
  it.each(['submit-f1-1', 'job-1', '7'])('gives back %s', (id) => {
    expect(fromStoredId(toStoredId(id))).toBe(id);
  });

  it('leaves an id alone that is not ours', () => {
    expect(fromStoredId('repeat-1')).toBe('repeat-1');
  });
});

describe('listFaults', () => {
  it.each([
    [{ fileId: 'f1', batchNo: 0 }, ['batchNo too_small']],
    [{ fileId: 7, batchNo: 'one' }, ['fileId invalid_type', 'batchNo invalid_type']],
    [{ fileId: 'f1', batchNo: 1, cardNumber: '4222222222222220' }, ['unrecognized_keys']],
    ['4222222222222220', ['invalid_type']],
  ])('names place and kind of what is wrong, never the value (case %#)', (payload, faults) => {
    const { error } = QUEUES.submit.payload.safeParse(payload);
    expect(error && listFaults(error)).toEqual(faults);
  });
});

describe.each(QUEUE_SERVERS)('look on $kind', ({ start }) => {
  const CARD = '4222222222222220';
  let server: QueueServer;
  let queue: Queue;
  beforeAll(async () => {
    server = await start();
    queue = await openQueue(server.backend, silentLog());
  });
  afterAll(async () => {
    await queue.close();
    await server.stop();
  });

  it('counts the jobs of a queue and says since when the oldest waits', async () => {
    expect(await queue.look('intake')).toMatchObject({ oldestAt: null, failed: [] });
    const before = Date.now();
    await queue.add('intake', 'first', { fileId: 'f1' });
    await queue.add('intake', 'second', { fileId: 'f2' }, { delayMs: 60_000 });
    const { counts, oldestAt } = await queue.look('intake');
    expect(counts).toMatchObject({ waiting: 1, delayed: 1, active: 0, failed: 0 });
    expect(Math.abs(oldestAt!.getTime() - before)).toBeLessThan(60_000);
  });

  it('tells what a failed job was about and why it failed, masked', async () => {
    await queue.add('deliver', `deliver-${CARD}`, { fileId: 'f1' });
    const worker = queue.work('deliver', 1, () => Promise.reject(new Error(`cannot send ${CARD}`)));
    await expect.poll(async () => (await queue.look('deliver')).failed.length, { timeout: 30_000 }).toBe(1);
    const { failed } = await queue.look('deliver');
    expect(failed).toEqual([
      { id: 'deliver-************2220', fileId: 'f1', says: expect.any(String), at: expect.any(Date) },
    ]);
    expect(JSON.stringify(failed)).not.toContain(CARD);
    await worker.close();
  });
});
