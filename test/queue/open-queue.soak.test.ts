import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openQueue, type Queue, type QueueBackend } from '../../src/queue/open-queue.ts';
import { QUEUE_OPTIONS } from '../../src/queue/queue-options.ts';
import { redisVerdict } from '../support/redis.ts';
import {
  collect,
  counts,
  letTimeFly,
  logIntoLines,
  openGate,
  QUEUE_SERVERS,
  type QueueServer,
  startScript,
} from './support/queue-world.ts';
import { QUICK_OPTIONS } from './support/quick-options.ts';

const verdict = redisVerdict();

it(verdict.sentence, () => {
  expect(verdict.isFine).toBe(true);
});

describe.each(QUEUE_SERVERS)('openQueue on $kind', ({ start }) => {
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

  it('hands a payload from add to work', async () => {
    const got = collect();
    queue.work('submit', 1, got.take);
    await queue.add('submit', 'submit-f1-1', { fileId: 'f1', batchNo: 1 });
    expect(await got.next()).toEqual({ fileId: 'f1', batchNo: 1 });
  });

  it('works off what was added before there was a worker, and keeps nothing of it', async () => {
    await queue.add('deliver', 'deliver-f1', { fileId: 'f1' });
    const got = collect();
    queue.work('deliver', 1, got.take);
    await got.next();
    await expect.poll(() => queue.counts('deliver')).toEqual(counts({}));
  });

  it('gives a job of a site to the workers of that site, and one without a site to any', async () => {
    const north = await openQueue(server.backend, log, { options: QUICK_OPTIONS, site: 'north' });
    const here = collect();
    const there = collect();
    const anywhere = collect();
    queue.work('deliver', 1, here.take);
    north.work('deliver', 1, there.take);
    north.work('poll', 1, anywhere.take);
    await queue.add('deliver', 'deliver-far', { fileId: 'far' }, { site: 'north' });
    await north.add('deliver', 'deliver-near', { fileId: 'near' }, { site: 'main' });
    await queue.add('poll', 'poll-f1-1', { fileId: 'f1', batchNo: 1 });
    expect(await there.next()).toEqual({ fileId: 'far' });
    expect(await here.next()).toEqual({ fileId: 'near' });
    expect(await anywhere.next()).toEqual({ fileId: 'f1', batchNo: 1 });
    await north.close();
  });

  it('lists and counts the jobs of its own site only', async () => {
    await queue.add('intake', 'intake-far', { fileId: 'far' }, { site: 'north' });
    await queue.add('intake', 'intake-near', { fileId: 'near' });
    expect(await queue.ids('intake', 'waiting')).toEqual(new Set(['intake-near']));
    expect(await queue.counts('intake')).toEqual(counts({ waiting: 1 }));
  });

  it('keeps the four queues apart', async () => {
    const intake = collect();
    const deliver = collect();
    queue.work('intake', 1, intake.take);
    queue.work('deliver', 1, deliver.take);
    await queue.add('deliver', 'same-id', { fileId: 'for-deliver' });
    await queue.add('intake', 'same-id', { fileId: 'for-intake' });
    expect([await intake.next(), await deliver.next()]).toEqual([{ fileId: 'for-intake' }, { fileId: 'for-deliver' }]);
  });

  it('runs the same id once while it is waiting, and again after it is done', async () => {
    await queue.add('intake', 'intake-f1', { fileId: 'f1' });
    await queue.add('intake', 'intake-f1', { fileId: 'f1' });
    expect(await queue.counts('intake')).toEqual(counts({ waiting: 1 }));

    const got = collect();
    queue.work('intake', 4, got.take);
    await got.next();
    await expect.poll(() => queue.ids('intake', 'live')).toEqual(new Set());
    await queue.add('intake', 'intake-f1', { fileId: 'f1' });
    await got.next();
    expect(got.count()).toBe(2);
  });

  it('leaves a running job of the same id alone', async () => {
    const gate = openGate();
    const got = collect();
    queue.work('intake', 4, async (payload) => {
      await got.take(payload);
      await gate.passed;
    });
    await queue.add('intake', 'intake-f1', { fileId: 'f1' });
    await got.next();
    await queue.add('intake', 'intake-f1', { fileId: 'f1' });
    expect(await queue.counts('intake')).toEqual(counts({ active: 1 }));
    gate.open();
    await expect.poll(() => queue.ids('intake', 'live')).toEqual(new Set());
    expect(got.count()).toBe(1);
  });

  it('runs a delayed job after its delay and not before', async () => {
    const got = collect();
    queue.work('poll', 1, got.take);
    await queue.add('poll', 'poll-f1-9', { fileId: 'f1', batchNo: 9 }, { delayMs: 600_000 });
    expect(await queue.counts('poll')).toEqual(counts({ delayed: 1 }));
    const addedAt = performance.now();
    await queue.add('poll', 'poll-f1-1', { fileId: 'f1', batchNo: 1 }, { delayMs: 300 });
    expect(await got.next()).toEqual({ fileId: 'f1', batchNo: 1 });
    expect(performance.now() - addedAt).toBeGreaterThanOrEqual(295);
  });

  it('never runs more jobs at once than the concurrency, and does run so many', async () => {
    const gate = openGate();
    const got = collect();
    let runningNow = 0;
    let mostAtOnce = 0;
    queue.work('submit', 3, async (payload) => {
      runningNow += 1;
      mostAtOnce = Math.max(mostAtOnce, runningNow);
      await got.take(payload);
      await gate.passed;
      runningNow -= 1;
    });
    for (const batchNo of [1, 2, 3, 4, 5, 6, 7])
      await queue.add('submit', `submit-f1-${batchNo}`, { fileId: 'f1', batchNo });
    // A job is active before its handler is called.
    await expect.poll(() => runningNow).toBe(3);
    await expect.poll(() => queue.counts('submit')).toEqual(counts({ active: 3, waiting: 4 }));
    gate.open();
    await expect.poll(() => got.count()).toBe(7);
    expect(mostAtOnce).toBe(3);
  });

  it('fails a job whose handler throws, does not run it again by itself, and takes it when it is added anew', async () => {
    const got = collect();
    queue.work('submit', 1, async (payload) => {
      await got.take(payload);
      throw new Error('no luck');
    });
    await queue.add('submit', 'submit-f1-1', { fileId: 'f1', batchNo: 1 });
    await got.next();
    await expect.poll(() => queue.counts('submit')).toEqual(counts({ failed: 1 }));
    expect(await queue.ids('submit', 'live')).toEqual(new Set());
    // The failed job had its chance to run again before the next one did.
    await queue.add('submit', 'submit-f1-2', { fileId: 'f1', batchNo: 2 });
    expect(await got.next()).toEqual({ fileId: 'f1', batchNo: 2 });

    await queue.add('submit', 'submit-f1-1-again', { fileId: 'f1', batchNo: 1 });
    expect(await got.next()).toEqual({ fileId: 'f1', batchNo: 1 });
    expect(got.count()).toBe(3);
  });

  it('comes back after everything was wiped while workers wait and a job runs', async () => {
    const gate = openGate();
    const got = collect();
    queue.work('submit', 2, async (payload) => {
      await got.take(payload);
      await gate.passed;
    });
    await queue.add('submit', 'submit-f1-1', { fileId: 'f1', batchNo: 1 });
    await queue.add('poll', 'poll-f1-1', { fileId: 'f1', batchNo: 1 }, { delayMs: 60_000 });
    await got.next();

    await server.wipe();
    await queue.heal();
    expect(await queue.ids('poll', 'live')).toEqual(new Set());
    await queue.add('submit', 'submit-f1-2', { fileId: 'f1', batchNo: 2 });
    expect(await got.next()).toEqual({ fileId: 'f1', batchNo: 2 });
    gate.open();
    await expect.poll(() => queue.ids('submit', 'live')).toEqual(new Set());
    // The worker whose job was wiped goes on.
    await queue.add('submit', 'submit-f1-3', { fileId: 'f1', batchNo: 3 });
    expect(await got.next()).toEqual({ fileId: 'f1', batchNo: 3 });
  });

  it('heals what is whole without touching it', async () => {
    await queue.add('intake', 'intake-f1', { fileId: 'f1' });
    await queue.heal();
    expect(await queue.ids('intake', 'live')).toEqual(new Set(['intake-f1']));
  });

  it('lists what is waiting or delayed, and what is running when asked for what is live', async () => {
    const gate = openGate();
    const got = collect();
    queue.work('poll', 2, async (payload) => {
      await got.take(payload);
      if (payload.batchNo === 1) throw new Error('no luck');
      await gate.passed;
    });
    await queue.add('poll', 'failed', { fileId: 'f1', batchNo: 1 });
    await got.next();
    await expect.poll(() => queue.counts('poll')).toEqual(counts({ failed: 1 }));
    for (const id of ['running-a', 'running-b', 'waiting']) await queue.add('poll', id, { fileId: 'f1', batchNo: 2 });
    await queue.add('poll', 'delayed', { fileId: 'f1', batchNo: 2 }, { delayMs: 60_000 });
    await expect.poll(() => queue.counts('poll')).toEqual(counts({ active: 2, waiting: 1, delayed: 1, failed: 1 }));
    expect(await queue.ids('poll', 'live')).toEqual(new Set(['running-a', 'running-b', 'waiting', 'delayed']));
    expect(await queue.ids('poll', 'waiting')).toEqual(new Set(['waiting', 'delayed']));
    gate.open();
  });

  it('closes a worker only after its running job, and takes no further one', async () => {
    const gate = openGate();
    const got = collect();
    const events: string[] = [];
    const worker = queue.work('deliver', 1, async (payload) => {
      await got.take(payload);
      await gate.passed;
      events.push('job done');
    });
    await queue.add('deliver', 'deliver-f1', { fileId: 'f1' });
    await got.next();
    const closing = worker.close().then(() => events.push('closed'));
    await queue.add('deliver', 'deliver-f2', { fileId: 'f2' });
    gate.open();
    await closing;
    expect(events).toEqual(['job done', 'closed']);
    expect(await queue.ids('deliver', 'live')).toEqual(new Set(['deliver-f2']));
  });

  it('stops waiting for a running job after waitMs', async () => {
    const gate = openGate();
    const got = collect();
    const worker = queue.work('deliver', 1, async (payload) => {
      await got.take(payload);
      await gate.passed;
    });
    await queue.add('deliver', 'deliver-f1', { fileId: 'f1' });
    await got.next();
    await worker.close({ waitMs: 20 });
    expect(await queue.ids('deliver', 'live')).toEqual(new Set(['deliver-f1']));
    expect(lines.map(({ msg }) => msg)).toContain('a worker was left before it had closed');
    gate.open();
  });

  it('is closed by close as a whole, workers included, also when called twice', async () => {
    queue.work('intake', 1, async () => {});
    await Promise.all([queue.close(), queue.close()]);
    await expect(queue.ids('intake', 'live')).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
  });

  it('leaves nothing behind that keeps the process alive', async () => {
    const script = await startScript('open', server.backend, 'open');
    script.stdin.end();
    expect(await script.ended).toBe(0);
  });
});

describe('openQueue', () => {
  it.each<{ what: string; backend: QueueBackend }>([
    { what: 'PostgreSQL', backend: { kind: 'postgres', connection: { host: '127.0.0.1', port: 1, user: 'nobody' } } },
    { what: 'Redis', backend: { kind: 'redis', url: 'redis://127.0.0.1:1' } },
  ])('says QUEUE_UNREACHABLE when $what is not there', async ({ backend }) => {
    const { log } = logIntoLines();
    await expect(letTimeFly(() => openQueue(backend, log))).rejects.toMatchObject({
      code: 'QUEUE_UNREACHABLE',
      message: expect.stringContaining('Cannot open the queue: '),
    });
  });

  it('refuses to start when a job could run twice, before it connects', async () => {
    const { log } = logIntoLines();
    const nowhere: QueueBackend = { kind: 'redis', url: 'redis://127.0.0.1:1' };
    const weakened = { ...QUEUE_OPTIONS, worker: { ...QUEUE_OPTIONS.worker, maxStalledCount: 1 } };
    await expect(openQueue(nowhere, log, { options: weakened })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
