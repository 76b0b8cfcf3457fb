import { Redis } from 'ioredis';
import type { EmbeddedServer } from '../../src/ledger/postgres/join-embedded-server.ts';

/**
 * The engines that a whole run of tests is given by its environment, in the place of those that the tests bring
 * (`npm run engines`): a PostgreSQL server in TEST_DATABASE_URL, a Redis server in TEST_REDIS_URL.
 */
export function givenServer(): EmbeddedServer | undefined {
  const url = process.env['TEST_DATABASE_URL'];
  if (url === undefined) return undefined;
  const { hostname, port, username, pathname } = new URL(url);
  const connection = {
    host: hostname,
    port: Number(port),
    user: username,
    database: pathname.slice(1),
    ssl: false as const,
  };
  return { connection, leave: async () => {} };
}

/** Where the queue of one installation lies: in a logical database of the given Redis that nobody else has. */
export async function givenQueue(): Promise<{ REDIS_URL?: string }> {
  const url = process.env['TEST_REDIS_URL'];
  if (url === undefined) return {};
  const redis = new Redis(url);
  try {
    return { REDIS_URL: `${url}/${await redis.incr('installations')}` };
  } finally {
    redis.disconnect();
  }
}
