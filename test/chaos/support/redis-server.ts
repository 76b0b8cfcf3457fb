import { Redis } from 'ioredis';
import { startTestRedis } from '../../support/redis.ts';

/** The Redis of one story. */
export type RedisServer = {
  readonly url: string;
  flush(): Promise<void>;
  /** Saves what it holds now. */
  snapshot(): Promise<void>;
  /** Kills it and brings it back with what it held at the snapshot. */
  bringBackOlder(): Promise<void>;
  /** Returns everything it holds, as its own DUMP gives it. */
  dump(): Promise<Buffer[]>;
  stop(): Promise<void>;
};

export async function startRedisServer(): Promise<RedisServer> {
  const server = await startTestRedis();
  const ask = async <Answer>(question: (client: Redis) => Promise<Answer>): Promise<Answer> => {
    const client = new Redis(server.url, { maxRetriesPerRequest: 20 });
    client.on('error', () => {});
    try {
      return await question(client);
    } finally {
      client.disconnect();
    }
  };
  return {
    url: server.url,
    flush: async () => {
      await ask((client) => client.flushall());
    },
    snapshot: async () => {
      await ask((client) => client.save());
    },
    bringBackOlder: () => server.restart(),
    dump: () => ask(dumpEverything),
    stop: () => server.stop(),
  };
}

/** Turns compression off first, because compressed values would hide their content. */
async function dumpEverything(client: Redis): Promise<Buffer[]> {
  await client.config('SET', 'rdbcompression', 'no');
  const keys = await client.keysBuffer('*');
  const values = await Promise.all(keys.map((key) => client.dumpBuffer(key)));
  return keys.flatMap((key, index) => [key, Buffer.from('\n'), values[index] ?? Buffer.alloc(0), Buffer.from('\n')]);
}
