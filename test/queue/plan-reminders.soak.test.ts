import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/kernel/log.ts';
import { type NamedQueue, openNamedQueue, type QueueConnection } from '../../src/queue/named-queue.ts';
import { openQueue, planReminders, type Queue, type QueueBackend, type Reminder } from '../../src/queue/open-queue.ts';
import { connectPostgres } from '../../src/queue/postgres-connection.ts';
import { connectRedis } from '../../src/queue/redis-connection.ts';
import { redisVerdict } from '../support/redis.ts';
import { QUEUE_SERVERS, type QueueServer } from './support/backends.ts';
import { collect } from './support/collect.ts';
import { QUICK_OPTIONS } from './support/quick-options.ts';

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
