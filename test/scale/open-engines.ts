import { startInstalledPostgres } from '../support/installed-postgres.ts';
import { startTestRedis } from '../support/redis.ts';
import type { Outage } from './run-scale.ts';

export type EngineWish = {
  /** `redis`; with anything else, the queue lies in the database. */
  queue: string;
  /** What is taken away in the middle: `postgres` or `redis`. */
  away?: string | undefined;
  seconds: number;
  /** Set when the database that all tests share has too few connections for the processes. */
  isLarge?: boolean;
};

export type Engines = {
  given: { databaseUrl?: string; redisUrl?: string; outage?: Outage };
  stop(): Promise<void>;
};

/**
 * Opens the servers of a run. All tests share one database, so a database that goes away or has many clients is one
 * installed on this computer.
 */
export async function openEngines({ queue, away, seconds, isLarge = false }: EngineWish): Promise<Engines> {
  const redis = queue === 'redis' || away === 'redis' ? await startTestRedis() : undefined;
  const postgres = away === 'postgres' || isLarge ? await startInstalledPostgres() : undefined;
  const server = away === 'redis' ? redis : away === 'postgres' ? postgres : undefined;
  return {
    given: {
      ...(redis && { redisUrl: redis.url }),
      ...(postgres && { databaseUrl: postgres.url }),
      ...(server && { outage: { name: away!, seconds, kill: () => server.kill(), restart: () => server.restart() } }),
    },
    stop: async () => {
      await redis?.stop();
      await postgres?.stop();
    },
  };
}
