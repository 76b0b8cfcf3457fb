import { Redis } from 'ioredis';
import { startTestRedis } from '../../support/redis.ts';
import type { Drop } from './make-drops.ts';
import type { LedgerView } from './ledger-view.ts';
import type { Service } from './service.ts';

/** What a story needs of the hosts on which it is played, one or several. */
export type StoryWorld = {
  readonly hosts: readonly StoryHost[];
  /** Other folders that must hold no number either. */
  readonly kept: readonly string[];
  readonly service: Service;
  readonly ledger: LedgerView;
  readonly redis: RedisServer | undefined;
  readonly drops: Drop[];
  readonly accounts: Changed;
  drop(drop: Drop): Promise<void>;
  /** Returns what lies in the drop folders and the work folders; at rest that is nothing. */
  leftovers(): Promise<string[]>;
  /** Returns every send journal, including the lost ones. */
  journals(): Promise<string[]>;
  /** Returns how long it took, in ms, or undefined when it never came to rest. */
  waitForRest(timeoutMs: number): Promise<number | undefined>;
  lastWords(): string;
  close(): Promise<void>;
};

/** The folder of a host, and the environment of its commands. */
export type StoryHost = { readonly root: string; readonly env: Readonly<Record<string, string>> };

/** Accounts whose ledger is no longer the same. */
export type Changed = {
  /** An older ledger was put in place: only the journals know what was sent since. */
  readonly forgotten: Set<string>;
  /** A journal was lost with it; a person compared the ledger with the books and cancelled what stood there. */
  readonly compared: Set<string>;
  /** A host was put back as a whole, journal and ledger together: only the service knows what was sent since. */
  readonly exposed: Set<string>;
};

/** The Redis of one story. */
type RedisServer = {
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
