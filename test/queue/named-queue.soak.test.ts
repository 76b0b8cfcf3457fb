import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  countJobs,
  listIds,
  type NamedQueue,
  openNamedQueue,
  type QueueConnection,
} from '../../src/queue/named-queue.ts';
import { connectPostgres } from '../../src/queue/postgres-connection.ts';
import { QUEUE_OPTIONS } from '../../src/queue/queue-options.ts';
import { startTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { openQueue, planReminders, type Queue, type QueueBackend, type Reminder } from '../../src/queue/open-queue.ts';
import { collect, counts, logIntoLines, QUEUE_SERVERS, type QueueServer, startScript } from './support/queue-world.ts';
import { QUICK_OPTIONS } from './support/quick-options.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { connectRedis } from '../../src/queue/redis-connection.ts';
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
    const job = await queue.add('submit', { fileId: 'f1', batchNo: 1 }, { jobId: 'job-one' });
    expect(job.opts).toMatchObject(QUEUE_OPTIONS.job);
    await queue.remove('job-one');
  });

  it('hears an error event, which would end the process otherwise', () => {
    queue.emit('error', new Error('connection lost'));
    expect(errors).toEqual([new Error('connection lost')]);
  });
});

describe('listIds and countJobs', () => {
  it('cope with 10,000 jobs', async () => {
    const jobs = Array.from({ length: 10_000 }, (_, index) => ({
      name: 'submit',
      data: { fileId: 'f1', batchNo: index + 1 },
      opts: { jobId: `job-submit-f1-${index + 1}`, delay: index % 2 === 0 ? 0 : 60_000 },
    }));
    await queue.addBulk(jobs);
    const ids = await listIds(queue, 'live');
    expect(ids.size).toBe(10_000);
    expect(ids.has('submit-f1-1') && ids.has('submit-f1-10000')).toBe(true);
    expect(await countJobs(queue)).toEqual({ waiting: 5_000, delayed: 5_000, active: 0, prioritized: 0, failed: 0 });
  });
});

describe.each(QUEUE_SERVERS)('a queue on $kind', ({ start }) => {
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

  it('does not run the job of a killed worker again', async () => {
    await queue.add('submit', 'submit-f1-1', { fileId: 'f1', batchNo: 1 });
    const holder = await startScript('hold', server.backend, 'holding 1');
    holder.kill('SIGKILL');
    expect(await holder.ended).toBe('SIGKILL');
    expect(await queue.ids('submit', 'live')).toEqual(new Set(['submit-f1-1']));

    const got = collect();
    queue.work('submit', 1, got.take);
    await expect.poll(() => queue.counts('submit')).toEqual(counts({ failed: 1 }));
    expect(got.count()).toBe(0);
    expect(lines.map(({ msg }) => msg)).toContain('a worker died or hung; its job is not run again');
    // The sweep adds it again under a new id when the ledger says that it is still due.
    await queue.add('submit', 'submit-f1-1-again', { fileId: 'f1', batchNo: 1 });
    expect(await got.next()).toEqual({ fileId: 'f1', batchNo: 1 });
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
    connection = await connect(server.backend);
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
    return schedulers.map(({ key, pattern, tz, template }) => ({ key, pattern, tz, data: template?.data })).sort(byKey);
  }

  it('plans one job scheduler for each, with the time of its zone', async () => {
    await queue.plan([WEEKLY, NIGHTLY]);
    expect(await planned()).toEqual([
      { key: 'nightly', pattern: '0 30 2 * * 1,5', tz: 'America/Toronto', data: { schedule: 'nightly' } },
      { key: 'weekly', pattern: '0 0 22 * * 0', tz: 'UTC', data: { schedule: 'weekly' } },
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

  it('reminds a worker when the time comes, and has the next time planned by then', async () => {
    const got = collect();
    queue.work('schedule', 1, got.take);
    await planReminders(named, [NIGHTLY]);
    const [job] = await named.getDelayed();
    const nextAt = () => named.getJobScheduler('nightly').then((scheduler) => scheduler?.next ?? 0);
    const first = await nextAt();
    await job!.promote();
    expect(await got.next()).toEqual({ schedule: 'nightly' });
    await expect.poll(nextAt).toBeGreaterThan(first);
    await expect.poll(() => queue.counts('schedule')).toMatchObject({ delayed: 1, active: 0, failed: 0 });
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

function connect(backend: QueueBackend): Promise<QueueConnection> {
  return backend.kind === 'postgres' ? connectPostgres(backend.connection, () => {}) : connectRedis(backend);
}

function byKey(one: { key: string }, other: { key: string }): number {
  return one.key.localeCompare(other.key);
}
