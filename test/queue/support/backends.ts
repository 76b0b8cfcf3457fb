import { Redis } from 'ioredis';
import { Client } from 'pg';
import type { QueueBackend } from '../../../src/queue/open-queue.ts';
import { dropQueue } from '../../support/drop-queue.ts';
import { emptyQueue } from './empty-queue.ts';
import { startTestPostgres } from '../../support/postgres.ts';
import { redisIsInstalled, startTestRedis } from '../../support/redis.ts';

/** A server for the queue, with ways to damage it. */
export type QueueServer = {
  backend: QueueBackend;
  /** Removes everything the queue keeps, like `DROP SCHEMA … CASCADE` and `FLUSHALL`. */
  wipe(): Promise<void>;
  /** Removes the jobs of a test but not the tables, which are slow to create. */
  empty(): Promise<void>;
  stop(): Promise<void>;
};

/** The servers the queue runs on, as far as installed; the same promises hold on each. */
export const QUEUE_SERVERS: { kind: string; start: () => Promise<QueueServer> }[] = [
  { kind: 'postgres', start: startPostgres },
  ...(redisIsInstalled() ? [{ kind: 'redis', start: startRedis }] : []),
];

async function startPostgres(): Promise<QueueServer> {
  const postgres = await startTestPostgres();
  return {
    backend: { kind: 'postgres', connection: postgres.connection },
    wipe: () => ask(postgres.connection, dropQueue),
    empty: () => ask(postgres.connection, emptyQueue),
    stop: () => postgres.stop(),
  };
}

async function startRedis(): Promise<QueueServer> {
  const redis = await startTestRedis();
  const client = new Redis(redis.url);
  return {
    backend: { kind: 'redis', url: redis.url },
    wipe: async () => void (await client.flushall()),
    empty: async () => void (await client.flushall()),
    stop: async () => {
      client.disconnect();
      await redis.stop();
    },
  };
}

async function ask(connection: object, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
