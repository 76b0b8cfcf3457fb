import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type QueueName, QUEUES } from '../../schemas/jobs.ts';
import { type NamedQueue, openNamedQueue, type QueueConnection } from '../../src/queue/named-queue.ts';
import { openQueue, type Queue, type QueueBackend } from '../../src/queue/open-queue.ts';
import { QUEUE_OPTIONS } from '../../src/queue/queue-options.ts';
import { redisVerdict } from '../support/redis.ts';
import {
  connectForeign,
  counts,
  lendEar,
  letTimeFly,
  logIntoLines,
  openGate,
  QUEUE_SERVERS,
  type QueueServer,
  startScript,
  waitForSilence,
} from './support/queue-world.ts';
import { QUICK_OPTIONS, SHORT_LOCK } from './support/quick-options.ts';

const CARD = '4222222222222220';

const verdict = redisVerdict();

it(verdict.sentence, () => {
  expect(verdict.isFine).toBe(true);
});

describe.each(QUEUE_SERVERS)('openQueue on $kind', ({ start, losses }) => {
  let server: QueueServer;
  let queue: Queue;
  const { log, lines } = logIntoLines();

  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());

  beforeEach(async () => {
    lines.length = 0;
    queue = await open();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
    await server.empty();
  });

  const opened: Queue[] = [];

  /** Opens the queue once more, as another process would. */
  async function open(options: Parameters<typeof openQueue>[2] = { options: QUICK_OPTIONS }): Promise<Queue> {
    const another = await openQueue(server.backend, log, options);
    opened.push(another);
    return another;
  }

  describe('ring', () => {
    it('is heard', async () => {
      const ear = lendEar();
      queue.hear('submit', ear.hear);
      await queue.ring('submit');
      await ear.heard(1);
    });

    it('is heard later, once, when nobody listens, and nothing of it is kept', async () => {
      for (let times = 0; times < 3; times += 1) await queue.ring('deliver');
      expect(await queue.counts('deliver')).toEqual(counts({ waiting: 1 }));
      const ear = lendEar();
      queue.hear('deliver', ear.hear);
      await ear.heard(1);
      await expect.poll(() => queue.counts('deliver')).toEqual(counts({}));
      expect(ear.count()).toBe(1);
    });

    it('many times while one is heard gives exactly one more hearing', async () => {
      const gate = openGate();
      const ear = lendEar((nth) => (nth === 1 ? gate.passed : Promise.resolve()));
      queue.hear('intake', ear.hear);
      await queue.ring('intake');
      await ear.heard(1);
      const other = await open();
      for (const from of [queue, other, queue, other]) await from.ring('intake');
      await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 ? queue : other).ring('intake')));
      expect(await queue.counts('intake')).toEqual(counts({ active: 1 }));
      gate.open();
      await ear.heard(2);
      await waitForSilence(queue, 'intake');
      expect(ear.count()).toBe(2);
    });

    it('is heard again after it was heard', async () => {
      const ear = lendEar();
      queue.hear('intake', ear.hear);
      for (const nth of [1, 2, 3]) {
        await queue.ring('intake');
        await ear.heard(nth);
        await waitForSilence(queue, 'intake');
      }
      expect(ear.count()).toBe(3);
    });

    it('during a hearing that rings itself is not lost', async () => {
      const ear = lendEar(async (nth) => {
        if (nth < 5) await queue.ring('poll');
      });
      queue.hear('poll', ear.hear);
      await queue.ring('poll');
      await ear.heard(5);
      await waitForSilence(queue, 'poll');
      expect(ear.count()).toBe(5);
    });

    it('is heard by one process of several, and never by two at a time', async () => {
      const other = await open();
      let listening = 0;
      let mostAtOnce = 0;
      const ear = lendEar(async () => {
        listening += 1;
        mostAtOnce = Math.max(mostAtOnce, listening);
        await queue.counts('submit');
        listening -= 1;
      });
      queue.hear('submit', ear.hear);
      other.hear('submit', ear.hear);
      for (let times = 0; times < 30; times += 1) await (times % 2 ? queue : other).ring('submit');
      await waitForSilence(queue, 'submit');
      expect(ear.count()).toBeGreaterThan(0);
      expect(ear.count()).toBeLessThanOrEqual(30);
      expect(mostAtOnce).toBe(1);
    });

    it('is heard by the stage it is meant for only', async () => {
      const names = Object.keys(QUEUES) as QueueName[];
      const ears = new Map(names.map((name) => [name, lendEar()]));
      for (const [name, ear] of ears) queue.hear(name, ear.hear);
      await queue.ring('deliver');
      await queue.ring('schedule');
      await ears.get('deliver')!.heard(1);
      await ears.get('schedule')!.heard(1);
      for (const name of names) await waitForSilence(queue, name);
      const heard = names.filter((name) => ears.get(name)!.count() > 0);
      expect(heard).toEqual(['deliver', 'schedule']);
    });

    it('of a site is heard at that site, and one of a stage without sites anywhere', async () => {
      const north = await open({ options: QUICK_OPTIONS, site: 'north' });
      const here = lendEar();
      const there = lendEar();
      const anywhere = lendEar();
      queue.hear('deliver', here.hear);
      north.hear('deliver', there.hear);
      north.hear('poll', anywhere.hear);
      await queue.ring('deliver', 'north');
      await there.heard(1);
      expect(here.count()).toBe(0);
      await north.ring('deliver', 'main');
      await here.heard(1);
      await north.ring('deliver');
      await there.heard(2);
      await queue.ring('poll');
      await anywhere.heard(1);
      expect([here.count(), there.count()]).toEqual([1, 2]);
    });

    it('counts at its own site only', async () => {
      await queue.ring('intake', 'north');
      expect(await queue.counts('intake')).toEqual(counts({}));
      await queue.ring('intake');
      expect(await queue.counts('intake')).toEqual(counts({ waiting: 1 }));
    });
  });

  describe('a hearing that fails', () => {
    it('is not repeated, and later rings are heard', async () => {
      const ear = lendEar((nth) => (nth === 1 ? Promise.reject(new Error('no luck')) : Promise.resolve()));
      queue.hear('submit', ear.hear);
      await queue.ring('submit');
      await expect.poll(() => queue.counts('submit')).toEqual(counts({ failed: 1 }));
      expect(ear.count()).toBe(1);
      await queue.ring('submit');
      await ear.heard(2);
      await waitForSilence(queue, 'submit');
      expect(ear.count()).toBe(2);
    });

    it('is followed by the ring that came meanwhile', async () => {
      const gate = openGate();
      const ear = lendEar(async (nth) => {
        if (nth > 1) return;
        await gate.passed;
        throw new Error('no luck');
      });
      queue.hear('submit', ear.hear);
      await queue.ring('submit');
      await ear.heard(1);
      await queue.ring('submit');
      await queue.ring('submit');
      gate.open();
      await ear.heard(2);
      await expect.poll(() => queue.counts('submit')).toEqual(counts({ failed: 1 }));
      expect(ear.count()).toBe(2);
    });
  });

  describe('heal', () => {
    it('brings back what was wiped while workers wait and a ring is heard', async () => {
      const gate = openGate();
      const ear = lendEar((nth) => (nth === 1 ? gate.passed : Promise.resolve()));
      const poll = lendEar();
      queue.hear('submit', ear.hear);
      queue.hear('poll', poll.hear);
      await queue.ring('submit');
      await ear.heard(1);
      await queue.ring('submit');
      await queue.ring('intake');

      await server.wipe();
      await queue.heal();
      expect(await queue.counts('intake')).toEqual(counts({}));
      await queue.ring('poll');
      await poll.heard(1);
      await queue.ring('submit');
      gate.open();
      await ear.heard(2);
      await waitForSilence(queue, 'submit');
      // The worker whose ring was wiped goes on.
      await queue.ring('submit');
      await ear.heard(3);
      expect(ear.count()).toBe(3);
    });

    it('leaves alone what is whole: a ring that waits, one that is heard, and the one that follows it', async () => {
      await queue.ring('intake');
      await queue.heal();
      await queue.ring('intake');
      expect(await queue.counts('intake')).toEqual(counts({ waiting: 1 }));

      const gate = openGate();
      const ear = lendEar((nth) => (nth === 1 ? gate.passed : Promise.resolve()));
      queue.hear('intake', ear.hear);
      await ear.heard(1);
      await queue.heal();
      await queue.ring('intake');
      await queue.heal();
      await queue.ring('intake');
      expect(await queue.counts('intake')).toEqual(counts({ active: 1 }));
      gate.open();
      await ear.heard(2);
      await waitForSilence(queue, 'intake');
      expect(ear.count()).toBe(2);
    });

    it.each(losses.waiting)('lets rings be heard when the one that waited lost $lost', async ({ statement }) => {
      await queue.ring('submit');
      await server.run(statement);
      await queue.heal();
      const ear = lendEar();
      queue.hear('submit', ear.hear);
      await queue.ring('submit');
      await ear.heard(1);
      await waitForSilence(queue, 'submit');
      expect(ear.count()).toBeLessThanOrEqual(2);

      await queue.heal();
      const before = ear.count();
      await queue.ring('submit');
      await ear.heard(before + 1);
    });

    it.each(losses.waiting)('lets rings be heard after one without $lost was heard', async ({ statement }) => {
      await queue.ring('submit');
      await server.run(statement);
      const ear = lendEar();
      const worker = queue.hear('submit', ear.hear);
      await waitForSilence(queue, 'submit');
      await queue.heal();
      const before = ear.count();
      await queue.ring('submit');
      await ear.heard(before + 1);
      await worker.close();
    });

    it.each(losses.heard)('lets rings be heard after the one that was heard lost $lost', async ({ statement }) => {
      const gate = openGate();
      const ear = lendEar((nth) => (nth === 1 ? gate.passed : Promise.resolve()));
      const brief = await open({ options: SHORT_LOCK });
      brief.hear('submit', ear.hear);
      await queue.ring('submit');
      await ear.heard(1);
      await server.run(statement);
      gate.open();
      // What cannot be ended properly is given up when its lock has run out.
      await waitForSilence(queue, 'submit');
      await queue.heal();
      const before = ear.count();
      await queue.ring('submit');
      await ear.heard(before + 1);
    });
  });

  describe('a job of another program', () => {
    let connection: QueueConnection;
    let foreign: NamedQueue;
    beforeEach(async () => {
      connection = await connectForeign(server.backend);
      foreign = openNamedQueue('submit', connection, QUEUE_OPTIONS, () => {});
      await foreign.waitUntilReady();
    });
    afterEach(async () => {
      await foreign.close();
      await connection.close();
    });

    it.each<[string, unknown, Parameters<NamedQueue['add']>[2]?]>([
      ['ids, as an older version wrote them', { fileId: 'f1', batchNo: 1 }, { jobId: 'job-submit-f1-1' }],
      ['no data', undefined],
      ['null', null],
      ['a text', CARD],
      ['a card number', { cardNumber: CARD, deep: [[{ amount: 1 }]] }],
      ['a megabyte', { text: 'x'.repeat(1_000_000) }],
      ['a card number as its id', {}, { jobId: `card-${CARD}` }],
      ['a priority', {}, { priority: 7 }],
      ['our deduplication id', {}, { deduplication: { id: 'bell' } }],
      ['our deduplication id for an hour', {}, { deduplication: { id: 'bell', ttl: 3_600_000 } }],
    ])('with %s is heard as one ring, and nothing of it is kept or logged', async (_what, data, options) => {
      await foreign.add('strange', data, { removeOnComplete: true, ...options });
      const ear = lendEar();
      queue.hear('submit', ear.hear);
      await ear.heard(1);
      await expect.poll(() => queue.counts('submit')).toEqual(counts({}));
      expect(ear.count()).toBe(1);
      await queue.heal();
      await queue.ring('submit');
      await ear.heard(2);
      expect(lines).toEqual([]);
    });

    it('that wants to be kept and repeated is heard once, and not kept', async () => {
      const plain = openNamedQueue('submit', connection, { ...QUEUE_OPTIONS, job: {} } as never, () => {});
      await plain.add('strange', { cardNumber: CARD }, { attempts: 5 });
      await plain.add('strange', { cardNumber: CARD });
      const ear = lendEar((nth) => (nth === 1 ? Promise.reject(new Error(CARD)) : Promise.resolve()));
      queue.hear('submit', ear.hear);
      await ear.heard(2);
      await expect.poll(() => queue.counts('submit')).toEqual(counts({ failed: 1 }));
      expect(await plain.getCompletedCount()).toBe(0);
      expect(ear.count()).toBe(2);
      expect(JSON.stringify(lines)).not.toContain(CARD);
      await plain.close();
    });

    it('that is put off under our deduplication id makes no stage deaf for longer than until the next sweep', async () => {
      await foreign.add('strange', {}, { delay: 3_600_000, deduplication: { id: 'bell' } });
      await queue.heal();
      const ear = lendEar();
      queue.hear('submit', ear.hear);
      await queue.ring('submit');
      await ear.heard(1);
      await queue.ring('submit');
      await ear.heard(2);
      await expect.poll(() => queue.counts('submit')).toEqual(counts({ delayed: 1 }));
    });
  });

  describe('close', () => {
    it('of a worker waits for what is heard, and leaves further rings to others', async () => {
      const gate = openGate();
      const events: string[] = [];
      const ear = lendEar(async () => {
        await gate.passed;
        events.push('heard');
      });
      const worker = queue.hear('deliver', ear.hear);
      await queue.ring('deliver');
      await ear.heard(1);
      const closing = worker.close().then(() => events.push('closed'));
      await queue.ring('deliver');
      gate.open();
      await closing;
      expect(events).toEqual(['heard', 'closed']);
      expect(ear.count()).toBe(1);
      expect(await queue.counts('deliver')).toEqual(counts({ waiting: 1 }));
      const other = lendEar();
      queue.hear('deliver', other.hear);
      await other.heard(1);
    });

    it('stops waiting for what is heard after waitMs', async () => {
      const gate = openGate();
      const ear = lendEar(() => gate.passed);
      const worker = queue.hear('deliver', ear.hear);
      await queue.ring('deliver');
      await ear.heard(1);
      await worker.close({ waitMs: 20 });
      expect(await queue.counts('deliver')).toEqual(counts({ active: 1 }));
      expect(lines.map(({ msg }) => msg)).toContain('a worker was left before it had closed');
      gate.open();
    });

    it('closes everything, workers included, also when called twice', async () => {
      queue.hear('intake', async () => {});
      await Promise.all([queue.close(), queue.close()]);
      const closed = { code: 'QUEUE_UNREACHABLE', message: expect.stringContaining('the queue is closed') };
      await expect(queue.ring('intake')).rejects.toMatchObject(closed);
      await expect(queue.counts('intake')).rejects.toMatchObject(closed);
      await expect(queue.heal()).rejects.toMatchObject(closed);
    });

    it('leaves nothing behind that keeps the process alive', async () => {
      const script = await startScript('open', server.backend, 'open');
      script.stdin.end();
      expect(await script.ended).toBe(0);
    });
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
