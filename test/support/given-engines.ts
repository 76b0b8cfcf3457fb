import { Redis } from 'ioredis';
import type { EmbeddedServer } from '../../src/ledger/postgres/join-embedded-server.ts';

/**
 * Returns the PostgreSQL server that the environment gives to a whole test run, in place of the one that tests bring
 * (`npm run engines`). TEST_DATABASE_URL names it; TEST_REDIS_URL names a Redis server.
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

/** Returns where an installation's queue lies: in a logical database of the given Redis that no other has. */
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
