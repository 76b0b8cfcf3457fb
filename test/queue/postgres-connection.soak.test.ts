import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Client } from 'pg';
import { PostgresQueueBackend } from 'bullmq';
import { Redis } from 'ioredis';
import type { QueueName } from '../../schemas/jobs.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openQueue, type Queue } from '../../src/queue/open-queue.ts';
import { connectPostgres } from '../../src/queue/postgres-connection.ts';
import { letTimeFly, logIntoLines, type LogLine, startScript } from './support/queue-world.ts';
import { relayDatabase } from '../support/database-relay.ts';
import { startTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { redisIsInstalled, redisVerdict, startTestRedis, type TestRedis } from '../support/redis.ts';

const NAMES: QueueName[] = ['intake', 'submit', 'poll', 'deliver'];

let postgres: TestPostgres;
let client: Client;

beforeAll(async () => {
  postgres = await startTestPostgres({ schema: 'empty' });
  client = new Client(postgres.connection);
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await postgres.stop();
});

const ours = "FROM pg_stat_activity WHERE application_name = 'paydrop-queue' AND datname = current_database()";

async function countConnections(): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int AS count ${ours}`);
  return rows[0]?.count ?? -1;
}

/** Counts the workers that listen, which each does from its first wait on. */
async function countListeners(): Promise<number> {
  const { rowCount } = await client.query(`SELECT ${ours} AND query LIKE '%LISTEN bullmq_jobs%'`);
  return rowCount ?? 0;
}

describe('connectPostgres', () => {
  it('needs five connections at most for four queues with their workers, and none after close', async () => {
    const queue = await openQueue({ kind: 'postgres', connection: postgres.connection }, silentLog());
    const warnings: Error[] = [];
    const keepWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', keepWarning);
    let done = 0;
    for (const name of NAMES) queue.work(name, 8, async () => void (done += 1));
    const jobs = NAMES.flatMap((name) => Array.from({ length: 10 }, (_, index) => ({ name, index })));
    await Promise.all(jobs.map(({ name, index }) => queue.add(name, `${name}-${index}`, payloadOf(name))));
    await expect.poll(() => done).toBe(40);
    expect(await countConnections()).toBeLessThanOrEqual(5);
    await queue.close();
    await expect.poll(countConnections).toBe(0);
    // Node-postgres warns about two queries at once on one connection.
    process.off('warning', keepWarning);
    expect(warnings).toEqual([]);
  });

  it('lets no worker wait longer than five seconds, whatever it was told', async () => {
    const connection = await connectPostgres(postgres.connection, () => {});
    expect(connection.makeBackend('submit', { connection: {} }, { withBlockingConnection: true })).toMatchObject({
      maximumBlockTimeout: 5,
    });
    await connection.close();
  });

  it('takes its settings as a URL, too', async () => {
    const connection = await connectPostgres({ connectionString: postgres.url }, () => {});
    const { rows } = await client.query("SELECT to_regclass('paydrop_queue.job') IS NOT NULL AS made");
    expect(rows).toEqual([{ made: true }]);
    await connection.close();
  });

  it('goes on when every connection is cut, the waiting one included, and reports it', async () => {
    const { log, lines } = logIntoLines();
    const queue = await openQueue({ kind: 'postgres', connection: postgres.connection }, log);
    const handled: number[] = [];
    queue.work('submit', 1, async ({ batchNo }) => void handled.push(batchNo));
    await queue.add('submit', 'submit-f1-1', { fileId: 'f1', batchNo: 1 });
    // Without noticing the lost connection, a waiting worker would sleep until this delayed job.
    await queue.add('submit', 'submit-f1-9', { fileId: 'f1', batchNo: 9 }, { delayMs: 3_600_000 });
    await expect.poll(() => handled).toEqual([1]);
    await expect.poll(countListeners).toBe(1);

    const wakes = vi.spyOn(PostgresQueueBackend.prototype, 'disconnectBlocking');
    onTestFinished(() => wakes.mockRestore());
    await client.query(`SELECT pg_terminate_backend(pid) ${ours}`);
    // It does not wait for its next regular check.
    await expect.poll(() => wakes.mock.calls.length).toBeGreaterThan(0);
    await expect.poll(() => lines.map(({ msg }) => msg)).toContain('the queue reports an error');
    await expect.poll(() => queue.add('submit', 'submit-f1-2', { fileId: 'f1', batchNo: 2 })).toBeUndefined();
    await expect.poll(() => handled).toEqual([1, 2]);
    await queue.close();
  });

  it('outlives a connection that breaks while it heals', async () => {
    const relay = await relayDatabase(postgres.url);
    const connection = await connectPostgres({ connectionString: relay.url }, () => {});
    relay.decide(() => 'deafen');
    // Without an error listener on the connection itself, an uncaught error would fail the test run.
    await expect(connection.heal()).rejects.toThrow('Connection terminated unexpectedly');
    relay.heal();
    await connection.heal();
    await connection.close();
    relay.close();
  });

  it('leaves nothing open when it cannot get in', async () => {
    const nowhere = { ...postgres.connection, database: 'no_such_database' };
    await expect(connectPostgres(nowhere, () => {})).rejects.toThrow('no_such_database');
    await expect.poll(countConnections).toBe(0);
  });

  it('heals a database whose schema was dropped, and one that nobody hurt', async () => {
    const connection = await connectPostgres(postgres.connection, () => {});
    await client.query('DROP SCHEMA paydrop_queue CASCADE');
    await connection.heal();
    await connection.heal();
    const { rows } = await client.query("SELECT to_regclass('paydrop_queue.job') IS NOT NULL AS made");
    expect(rows).toEqual([{ made: true }]);
    await connection.close();
  });

  it('lets no worker sleep past a job that nobody announced', async () => {
    const queue = await openQueue({ kind: 'postgres', connection: postgres.connection }, silentLog());
    const done: unknown[] = [];
    queue.work('submit', 1, async (payload) => void done.push(payload));
    // With a delayed job in sight, BullMQ would wait an hour for it.
    for (const id of ['far', 'missed'])
      await queue.add('submit', id, { fileId: id, batchNo: 1 }, { delayMs: 3_600_000 });
    await queue.add('submit', 'now', { fileId: 'now', batchNo: 1 });
    await expect.poll(() => done).toHaveLength(1);
    await client.query("UPDATE paydrop_queue.job SET state = 'waiting', process_at_ms = NULL WHERE id LIKE '%missed'");
    await expect.poll(() => done, { timeout: 120_000 }).toHaveLength(2);
    await queue.close();
  });
});

function payloadOf(name: QueueName): { fileId: string; batchNo: number } {
  return name === 'intake' || name === 'deliver' ? ({ fileId: 'f1' } as never) : { fileId: 'f1', batchNo: 1 };
}

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
    const script = await startScript('open', { kind: 'redis', url: redis.url }, 'open');
    await redis.kill();
    script.stdin.end();
    expect(await script.ended).toBe(0);
  });
});
