import { createRedisBackend } from 'bullmq';
import { Redis } from 'ioredis';
import { type QueueConnection, REDIS_PREFIX } from './named-queue.ts';
import { answerWithin, shortReason } from './answer-within.ts';

export type RedisSettings = { readonly url: string; readonly prefix?: string };

/**
 * Connects BullMQ to Redis: one connection to ring and query, one for the bookkeeping of all workers, and one per worker
 * that blocks while waiting. A process that hears all six stages has eight.
 *
 * The first two differ while Redis is away. Ringing fails at once, because a caller must not hang and the sweeps stand in
 * for the rings. Workers wait indefinitely (`maxRetriesPerRequest: null`, which BullMQ demands), so that the end of a
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
      // Commands that only ring never need the second connection.
      const connection = use.withBlockingConnection ? (working ??= openWorking(settings.url, clients)) : asking;
      return createRedisBackend(name, { ...options, ...prefix, connection }, use);
    },
    // Redis has no tables: BullMQ's keys and scripts return with the first command after FLUSHALL.
    heal: async () => {},
    close: async () => {
      for (const client of clients) endClient(client);
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
  // For each client BullMQ would print its opinion of the eviction policy, past the log. `start` logs it once.
  const info = client.info.bind(client) as (...given: unknown[]) => Promise<string>;
  // ioredis itself asks with a callback.
  client.info = (...given: unknown[]) =>
    given.length > 0 ? info(...given) : info().then((text) => text.replace(/^maxmemory_policy:.*$/m, ''));
  return client;
}

/**
 * Ends a client, even one waiting to reconnect. ioredis would only cancel the attempt and never answer the commands it
 * holds. BullMQ would wait for them, and its timers would keep the process alive. Breaking off an attempt makes ioredis
 * answer them all.
 */
function endClient(client: Redis): void {
  // Disconnecting twice would start a two-second timer that nothing stops.
  if (client.status === 'end') return;
  client.disconnect();
  if (client.status !== 'reconnecting') return;
  client.connect().catch(() => {});
  client.disconnect();
}

/** What decides whether Redis keeps the queue. `refusal` is Redis's own message when it takes no writes. */
export type RedisState = { version: string; policy: string; isAppendOnly: boolean; refusal?: string };

const LOOK_MS = 5_000;

/**
 * Reads the settings of a Redis by INFO, which hosted ones answer too, and leaves nothing in it.
 * @throws PipelineError QUEUE_UNREACHABLE
 */
export async function inspectRedis(url: string): Promise<RedisState> {
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  // The query fails with "Connection is closed" whatever the cause; without a listener the cause would be printed.
  let cause: string | undefined;
  client.on('error', (error) => {
    cause = shortReason(error);
  });
  try {
    const { info, refusal } = await answerWithin(
      LOOK_MS,
      'ask Redis for its settings',
      client.connect().then(async () => ({ info: await client.info(), refusal: await refusalOf(client) })),
      () => cause,
    );
    return {
      version: fieldOf(info, 'redis_version') ?? 'unknown',
      policy: fieldOf(info, 'maxmemory_policy') ?? 'unknown',
      isAppendOnly: fieldOf(info, 'aof_enabled') === '1',
      ...(refusal !== undefined && { refusal }),
    };
  } finally {
    client.disconnect();
  }
}

/**
 * Returns why Redis takes no writes. A full memory, a failed save, a replica or a missing right shows when the write is
 * queued; it is never executed. The key has the queue's prefix, because rights may be limited to it.
 */
async function refusalOf(client: Redis): Promise<string | undefined> {
  await client.multi({ pipeline: false });
  const refusal = await client.lpush(`${REDIS_PREFIX}:try`, '').then(
    () => undefined,
    (error: unknown) => shortReason(error),
  );
  await client.discard();
  return refusal;
}

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
