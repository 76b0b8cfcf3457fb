import { startInstalledPostgres } from '../support/installed-postgres.ts';
import { startTestRedis } from '../support/redis.ts';
import type { Outage } from './run-scale.ts';

export type EngineWish = {
  /** `redis`, or else the queue lies in the database. */
  queue: string;
  /** What is taken away in the middle: `postgres` or `redis`. */
  away?: string | undefined;
  seconds: number;
  /** More processes than the connections of the database that all tests share are enough for. */
  isLarge?: boolean;
};

export type Engines = {
  given: { databaseUrl?: string; redisUrl?: string; outage?: Outage };
  stop(): Promise<void>;
};

/**
 * The servers of a run. A database that is to go away, or that many ask, is of this computer's packages: all tests share
 * the other.
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
