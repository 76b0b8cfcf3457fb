import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Client } from 'pg';
import { PostgresQueueBackend } from 'bullmq';
import { Redis } from 'ioredis';
import { type QueueName, QUEUES } from '../../schemas/jobs.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openNamedQueue } from '../../src/queue/named-queue.ts';
import { openQueue, type Queue } from '../../src/queue/open-queue.ts';
import { connectPostgres } from '../../src/queue/postgres-connection.ts';
import { QUEUE_OPTIONS } from '../../src/queue/queue-options.ts';
import {
  counts,
  lendEar,
  letTimeFly,
  logIntoLines,
  type LogLine,
  startScript,
  waitForSilence,
} from './support/queue-world.ts';
import { relayDatabase } from '../support/database-relay.ts';
import { startTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { redisIsInstalled, redisVerdict, startTestRedis, type TestRedis } from '../support/redis.ts';

const NAMES = Object.keys(QUEUES) as QueueName[];

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
  it('needs five connections at most for the workers of all queues, and none after close', async () => {
    const queue = await openQueue({ kind: 'postgres', connection: postgres.connection }, silentLog());
    const warnings: Error[] = [];
    const keepWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', keepWarning);
    const ears = NAMES.map((name) => ({ name, ear: lendEar() }));
    for (const { name, ear } of ears) queue.hear(name, ear.hear);
    await Promise.all(Array.from({ length: 10 }, () => NAMES.map((name) => queue.ring(name))).flat());
    for (const { ear } of ears) await ear.heard(1);
    await queue.heal();
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
    const ear = lendEar();
    queue.hear('submit', ear.hear);
    await queue.ring('submit');
    // Without noticing the lost connection, a waiting worker would sleep until this delayed job.
    await addForeign(['far']);
    await ear.heard(1);
    await waitForSilence(queue, 'submit');
    await expect.poll(countListeners).toBe(1);

    const wakes = vi.spyOn(PostgresQueueBackend.prototype, 'disconnectBlocking');
    onTestFinished(() => wakes.mockRestore());
    await client.query(`SELECT pg_terminate_backend(pid) ${ours}`);
    // It does not wait for its next regular check.
    await expect.poll(() => wakes.mock.calls.length).toBeGreaterThan(0);
    await expect.poll(() => lines.map(({ msg }) => msg)).toContain('the queue reports an error');
    await expect.poll(() => queue.ring('submit')).toBeUndefined();
    await ear.heard(2);
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
    const ear = lendEar();
    queue.hear('submit', ear.hear);
    // With a delayed job in sight, BullMQ would wait an hour for it.
    await addForeign(['far', 'missed']);
    await queue.ring('submit');
    await ear.heard(1);
    await client.query("UPDATE paydrop_queue.job SET state = 'waiting', process_at_ms = NULL WHERE id = 'missed'");
    await ear.heard(2);
    await queue.close();
  });
});

/** Adds jobs of the next hour to the queue `submit`, as another program might. */
async function addForeign(ids: readonly string[]): Promise<void> {
  const connection = await connectPostgres(postgres.connection, () => {});
  const queue = openNamedQueue('submit', connection, QUEUE_OPTIONS, () => {});
  for (const id of ids) await queue.add('strange', {}, { jobId: id, delay: 3_600_000 });
  await queue.close();
  await connection.close();
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

  it('needs two connections and one for each worker, one for ringing only, and none after close', async () => {
    const client = new Redis(redis.url);
    // The list includes the querying client.
    const countConnections = async () =>
      String(await client.client('LIST'))
        .trim()
        .split('\n').length - 1;
    await queue.ring('submit');
    expect(await countConnections()).toBe(1);
    for (const name of NAMES) queue.hear(name, async () => {});
    await expect.poll(countConnections).toBe(2 + NAMES.length);
    await queue.close();
    await expect.poll(countConnections).toBe(0);
    client.disconnect();
  });

  it('keeps its keys under its prefix', async () => {
    await queue.ring('intake');
    const client = new Redis(redis.url);
    const keys = await client.keys('*');
    client.disconnect();
    expect(keys).toContain('paydrop:intake:de:bell');
    expect(keys.filter((key) => !key.startsWith('paydrop:'))).toEqual([]);
  });

  it('refuses to ring while Redis is away, and works again when it is back', async () => {
    const ear = lendEar();
    queue.hear('submit', ear.hear);
    await queue.ring('submit');
    await ear.heard(1);
    await waitForSilence(queue, 'submit');

    await redis.kill();
    const away = { code: 'QUEUE_UNREACHABLE', message: expect.stringContaining('ECONNREFUSED') };
    await expect.poll(() => queue.ring('submit').catch((error: unknown) => error)).toMatchObject(away);
    await expect(queue.counts('submit')).rejects.toMatchObject(away);
    await expect(queue.heal()).rejects.toMatchObject(away);

    await redis.restart();
    await expect.poll(() => queue.ring('submit').catch(String)).toBeUndefined();
    await ear.heard(2);
    await queue.heal();
    // Hundreds of errors occur in that time.
    expect(lines.filter(({ msg }) => msg === 'the queue reports an error').length).toBeLessThanOrEqual(15);
  });

  it('says why Redis does not let it in', async () => {
    const client = new Redis(redis.url);
    await client.config('SET', 'requirepass', 'right');
    const wrong = { kind: 'redis', url: redis.url.replace('//', '//:wrong@') } as const;
    await expect(openQueue(wrong, logIntoLines().log)).rejects.toThrow('Cannot open the queue: WRONGPASS');

    await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await expect(queue.ring('submit')).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    await expect.poll(() => queue.ring('submit').catch(String)).toContain('Cannot ring "submit": NOAUTH');
    client.disconnect();
  });

  it('closes while Redis is away, with a worker that waits', async () => {
    queue.hear('submit', async () => {});
    await queue.ring('submit');
    await expect.poll(() => queue.counts('submit')).toEqual(counts({}));
    await redis.kill();
    await expect(queue.ring('submit')).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    await letTimeFly(() => queue.close());
  });

  it('lets the process end while Redis is away', async () => {
    const script = await startScript('open', { kind: 'redis', url: redis.url }, 'open');
    await redis.kill();
    script.stdin.end();
    expect(await script.ended).toBe(0);
  });
});
