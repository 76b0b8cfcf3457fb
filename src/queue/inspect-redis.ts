import { Redis } from 'ioredis';
import { answerWithin, shortReason } from './answer-within.ts';
import { REDIS_PREFIX } from './job-id.ts';

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
