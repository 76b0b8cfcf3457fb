import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { countJobs, type NamedQueue, openNamedQueue, type QueueConnection } from '../../src/queue/named-queue.ts';
import { connectPostgres } from '../../src/queue/postgres-connection.ts';
import { QUEUE_OPTIONS } from '../../src/queue/queue-options.ts';
import { startTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { openQueue, planReminders, type Queue, type Reminder } from '../../src/queue/open-queue.ts';
import {
  connectForeign,
  counts,
  lendEar,
  logIntoLines,
  QUEUE_SERVERS,
  type QueueServer,
  startScript,
  waitForSilence,
} from './support/queue-world.ts';
import { QUICK_OPTIONS } from './support/quick-options.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { redisVerdict } from '../support/redis.ts';

let postgres: TestPostgres;
let connection: QueueConnection;
let queue: NamedQueue;
const errors: unknown[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
  connection = await connectPostgres(postgres.connection, (error) => errors.push(error));
  queue = openNamedQueue('submit', connection, QUEUE_OPTIONS, (error) => errors.push(error));
});

afterAll(async () => {
  await queue.close();
  await connection.close();
  await postgres.stop();
});

describe('openNamedQueue', () => {
  it('gives every job our options', async () => {
    const job = await queue.add('ring', {}, { jobId: 'job-one' });
    expect(job.opts).toMatchObject(QUEUE_OPTIONS.job);
    await queue.remove('job-one');
  });

  it('hears an error event, which would end the process otherwise', () => {
    queue.emit('error', new Error('connection lost'));
    expect(errors).toEqual([new Error('connection lost')]);
  });
});

describe('countJobs', () => {
  it('copes with 10,000 jobs of another program', async () => {
    const jobs = Array.from({ length: 10_000 }, (_, index) => ({
      name: 'strange',
      data: {},
      opts: { delay: index % 2 === 0 ? 0 : 60_000 },
    }));
    await queue.addBulk(jobs);
    expect(await countJobs(queue)).toEqual(counts({ waiting: 5_000, delayed: 5_000 }));
  });
});

describe.each(QUEUE_SERVERS)('a process that is killed while it hears a ring, on $kind,', ({ start }) => {
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

  /** Kills a process that hears a ring, after it was rung for so many times more. */
  async function killListener(moreRings: number): Promise<void> {
    await queue.ring('submit');
    const holder = await startScript('hold', server.backend, 'hearing');
    for (let times = 0; times < moreRings; times += 1) await queue.ring('submit');
    holder.kill('SIGKILL');
    expect(await holder.ended).toBe('SIGKILL');
    // Its lock has not run out.
    await queue.heal();
    expect(await queue.counts('submit')).toEqual(counts({ active: 1 }));
  }

  it('leaves a ring that is given up and not heard again, and later ones are heard', async () => {
    await killListener(0);
    const ear = lendEar();
    queue.hear('submit', ear.hear);
    await expect.poll(() => queue.counts('submit')).toEqual(counts({ failed: 1 }));
    expect(ear.count()).toBe(0);
    expect(lines.map(({ msg }) => msg)).toContain('a process died or hung while it heard a ring; the next sweep looks');
    await queue.ring('submit');
    await ear.heard(1);
  });

  it('leaves the rings that came meanwhile to another, which hears them as one', async () => {
    await killListener(3);
    const ear = lendEar();
    queue.hear('submit', ear.hear);
    await ear.heard(1);
    await expect.poll(() => queue.counts('submit')).toEqual(counts({ failed: 1 }));
    expect(ear.count()).toBe(1);
  });

  it('makes nobody deaf to rings that come after its death, before its lock has run out', async () => {
    await killListener(0);
    const ear = lendEar();
    queue.hear('submit', ear.hear);
    await queue.ring('submit');
    await ear.heard(1);
    await waitForSilence(queue, 'submit');
    expect(ear.count()).toBe(1);
  });
});

const verdict = redisVerdict();

it(verdict.sentence, () => {
  expect(verdict.isFine).toBe(true);
});

const NIGHTLY: Reminder = { schedule: 'nightly', at: '02:30', timeZone: 'America/Toronto', days: ['mon', 'fri'] };
const WEEKLY: Reminder = { schedule: 'weekly', at: '22:00', timeZone: 'UTC', days: ['sun'] };

describe.each(QUEUE_SERVERS)('planReminders on $kind', ({ start }) => {
  let server: QueueServer;
  let queue: Queue;
  let connection: QueueConnection;
  let named: NamedQueue;

  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());

  beforeEach(async () => {
    queue = await openQueue(server.backend, silentLog(), { options: QUICK_OPTIONS });
    connection = await connectForeign(server.backend);
    named = openNamedQueue('schedule', connection, QUICK_OPTIONS, () => {});
    await named.waitUntilReady();
  });
  afterEach(async () => {
    await named.close();
    await connection.close();
    await queue.close();
    await server.empty();
  });

  async function planned(): Promise<unknown[]> {
    const schedulers = await named.getJobSchedulers();
    return schedulers.map(({ key, pattern, tz }) => ({ key, pattern, tz })).sort(byKey);
  }

  it('plans one job scheduler for each, with the time of its zone', async () => {
    await queue.plan([WEEKLY, NIGHTLY]);
    expect(await planned()).toEqual([
      { key: 'nightly', pattern: '0 30 2 * * 1,5', tz: 'America/Toronto' },
      { key: 'weekly', pattern: '0 0 22 * * 0', tz: 'UTC' },
    ]);
    expect(await queue.counts('schedule')).toMatchObject({ delayed: 2, waiting: 0, active: 0 });
  });

  it('planned again is the same, and what left the configuration is gone with its job', async () => {
    await queue.plan([WEEKLY, NIGHTLY]);
    await queue.plan([WEEKLY, NIGHTLY]);
    expect(await queue.counts('schedule')).toMatchObject({ delayed: 2 });
    await queue.plan([{ ...NIGHTLY, at: '03:00' }]);
    expect(await planned()).toMatchObject([{ key: 'nightly', pattern: '0 0 3 * * 1,5' }]);
    expect(await queue.counts('schedule')).toMatchObject({ delayed: 1 });
    await queue.plan([]);
    expect(await planned()).toEqual([]);
    expect(await queue.counts('schedule')).toMatchObject({ delayed: 0 });
  });

  it('rings when the time comes, and has the next time planned by then', async () => {
    const ear = lendEar();
    queue.hear('schedule', ear.hear);
    await planReminders(named, [NIGHTLY]);
    const [job] = await named.getDelayed();
    const nextAt = () => named.getJobScheduler('nightly').then((scheduler) => scheduler?.next ?? 0);
    const first = await nextAt();
    await job!.promote();
    await ear.heard(1);
    await expect.poll(nextAt).toBeGreaterThan(first);
    await expect.poll(() => queue.counts('schedule')).toEqual(counts({ delayed: 1 }));
    expect(ear.count()).toBe(1);
  });

  it('keeps no ring of a person waiting for the time of a reminder', async () => {
    await queue.plan([NIGHTLY, WEEKLY]);
    await queue.ring('schedule');
    const ear = lendEar();
    queue.hear('schedule', ear.hear);
    await ear.heard(1);
    await expect.poll(() => queue.counts('schedule')).toEqual(counts({ delayed: 2 }));
    expect(ear.count()).toBe(1);
  });

  it('comes back after everything was wiped', async () => {
    await queue.plan([NIGHTLY]);
    await server.wipe();
    await queue.heal();
    expect(await planned()).toEqual([]);
    await queue.plan([NIGHTLY]);
    expect(await planned()).toHaveLength(1);
  });
});

function byKey(one: { key: string }, other: { key: string }): number {
  return one.key.localeCompare(other.key);
}
