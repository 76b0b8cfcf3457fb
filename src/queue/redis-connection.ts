import { createRedisBackend } from 'bullmq';
import { Redis } from 'ioredis';
import { REDIS_PREFIX } from './job-id.ts';
import type { QueueConnection } from './queue-connection.ts';

export type RedisSettings = { readonly url: string; readonly prefix?: string };

/**
 * Connects BullMQ to Redis: one connection to add and query, one for the bookkeeping of all workers, and one per worker
 * that blocks while waiting. A process that works on four queues has six.
 *
 * The first two differ while Redis is away. Adding fails at once, because a caller must not hang and the sweep adds
 * what is missing. Workers wait indefinitely (`maxRetriesPerRequest: null`, which BullMQ demands), so that the end of a
 * job is still recorded when Redis is back.
 *
 * All of them connect at once: BullMQ never forgets a failed first connect, but waits for one that is still trying.
 */
export async function connectRedis(settings: RedisSettings): Promise<QueueConnection> {
  const clients = new Set<Redis>();
  const asking = openClient(settings.url, { maxRetriesPerRequest: 1, enableOfflineQueue: false }, clients);
  let working: Redis | undefined;
  const prefix = { prefix: settings.prefix ?? REDIS_PREFIX };

  return {
    makeBackend: (name, options, use = {}) => {
      // Commands that only add never need the second connection.
      const connection = use.withBlockingConnection ? (working ??= openWorking(settings.url, clients)) : asking;
      return createRedisBackend(name, { ...options, ...prefix, connection }, use);
    },
    // Redis has no tables: BullMQ's keys and scripts return with the first command after FLUSHALL.
    heal: async () => {},
    close: async () => {
      for (const client of clients) approveOrPropose(client);
    },
  };
}

function openWorking(url: string, clients: Set<Redis>): Redis {
  const client = openClient(url, { maxRetriesPerRequest: null }, clients);
  // BullMQ copies this client for each worker and cannot close a copy that has lost Redis. The copy's next attempt to
  // connect would keep the process alive.
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (override) => keepClient(duplicate(override), clients);
  return client;
}

type Patience = { maxRetriesPerRequest: number | null; enableOfflineQueue?: boolean };

function openClient(url: string, patience: Patience, clients: Set<Redis>): Redis {
  return keepClient(new Redis(url, { ...patience, connectTimeout: 5_000 }), clients);
}

function keepClient(client: Redis, clients: Set<Redis>): Redis {
  clients.add(client);
  // BullMQ passes errors on while it uses the client; later, an error without a listener would be printed.
  client.on('error', () => {});
  return client;
}

/**
 * Ends a client, even one waiting to reconnect. ioredis would only cancel the attempt and never answer the commands it
 * holds. BullMQ would wait for them, and its timers would keep the process alive. Breaking off an attempt makes ioredis
 * answer them all.
 */
function approveOrPropose(client: Redis): void {
  // Disconnecting twice would start a two-second timer that nothing stops.
  if (client.status === 'end') return;
  client.disconnect();
  if (client.status !== 'reconnecting') return;
  client.connect().catch(() => {});
  client.disconnect();
}
