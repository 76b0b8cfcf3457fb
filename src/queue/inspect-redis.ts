import { Redis } from 'ioredis';
import { answerWithin, shortReason } from './answer-within.ts';

/** What decides whether Redis keeps the queue. */
export type RedisState = { version: string; policy: string; isAppendOnly: boolean };

const LOOK_MS = 5_000;

/**
 * Asks a Redis for its settings, by INFO, which hosted ones answer too, and leaves nothing in it.
 * @throws PipelineError QUEUE_UNREACHABLE
 */
export async function inspectRedis(url: string): Promise<RedisState> {
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  // The question fails with "Connection is closed", whatever the cause; without a listener this would be printed.
  let cause: string | undefined;
  client.on('error', (error) => {
    cause = shortReason(error);
  });
  try {
    const info = await answerWithin(
      LOOK_MS,
      'ask Redis for its settings',
      client.connect().then(() => client.info()),
      () => cause,
    );
    return {
      version: fieldOf(info, 'redis_version') ?? 'unknown',
      policy: fieldOf(info, 'maxmemory_policy') ?? 'unknown',
      isAppendOnly: fieldOf(info, 'aof_enabled') === '1',
    };
  } finally {
    client.disconnect();
  }
}

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
