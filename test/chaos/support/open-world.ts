import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../../support/build-program.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import { type LedgerView, viewLedger } from './ledger-view.ts';
import { killProcess } from './kill-process.ts';
import type { Drop } from './make-drops.ts';
import { makeRoot, openPlace, type Place } from './open-place.ts';
import type { Order } from './order.ts';
import { type RedisServer, startRedisServer } from './redis-server.ts';
import { type Service, startService } from './service.ts';
import { mountSmallDisks, type SmallDisks } from './small-disks.ts';
import type { QueueKind } from './acts.ts';

/** One installation with its service, database and queue, each a process that can die; and what was done to it. */
export type World = {
  readonly place: Place;
  readonly service: Service;
  readonly ledger: LedgerView;
  readonly redis: RedisServer | undefined;
  readonly disks: SmallDisks | undefined;
  readonly drops: Drop[];
  /** Accounts of which an older ledger was put in place. */
  readonly forgotten: Set<string>;
  daemon: Daemon;
  /** Starts the next life of the daemon; it may have to die at once. */
  start(order?: Order): Promise<void>;
  killDatabase(): Promise<void>;
  /** Daemon and database, as a power cut would. */
  stopAll(): Promise<void>;
  /** @returns how long it took, in ms; undefined when it never came to rest */
  waitForRest(timeoutMs: number): Promise<number | undefined>;
  close(): Promise<void>;
};

export type WorldSetup = { program: Program; accounts: readonly string[]; queue: QueueKind; canMount: boolean };

export async function openWorld({ program, accounts, queue, canMount }: WorldSetup): Promise<World> {
  const root = await makeRoot();
  const service = await startService(program, join(root, 'sandbox'), accounts);
  const place = await openPlace(root, accounts, service.url);
  const redis = queue === 'redis' ? await startRedisServer() : undefined;
  const disks = canMount ? mountSmallDisks(root, ['out', 'data/archive', 'data/journal']) : undefined;
  const ledger = viewLedger(root);
  let life = 0;
  const begin = (order?: Order) => {
    life += 1;
    return startDaemon(program, root, { life, env: redis ? { REDIS_URL: redis.url } : {}, order });
  };
  const world: World = {
    place,
    service,
    ledger,
    redis,
    disks,
    drops: [],
    forgotten: new Set<string>(),
    daemon: begin(),
    start: async (order) => {
      world.daemon = begin(order);
      await world.daemon.ready;
    },
    killDatabase: async () => {
      const pid = await ledger.postmaster();
      if (pid !== undefined) await killProcess(pid);
    },
    stopAll: async () => {
      await world.daemon.kill();
      await world.killDatabase();
      await ledger.close();
    },
    waitForRest: async (timeoutMs) => {
      const started = performance.now();
      while (performance.now() - started < timeoutMs) {
        if ((await place.leftovers()).length === 0 && (await ledger.isAtRest())) return performance.now() - started;
        await sleep(50);
      }
      return undefined;
    },
    close: async () => {
      await world.stopAll();
      await service.kill();
      await redis?.stop();
      disks?.remove();
      await place.remove();
    },
  };
  await world.daemon.ready;
  return world;
}
