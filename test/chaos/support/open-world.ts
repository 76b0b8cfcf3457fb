import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import type { Program } from '../../support/build-program.ts';
import { mountSmallDisk, type SmallDisk } from '../../support/small-disk.ts';
import type { Daemon } from '../../support/daemon.ts';
import { killProcess, startLife } from './daemon.ts';
import { findEmbedded, findPostmaster, viewLedger } from './ledger-view.ts';
import { makeRoot, openPlace, type Place } from './open-place.ts';
import { startService } from './service.ts';
import { startRedisServer, type StoryWorld } from './story-world.ts';
import type { Order, QueueKind } from './acts.ts';

/** One installation with its service, database and queue, each a process that can die, and what was done to it. */
export type World = StoryWorld & {
  readonly place: Place;
  readonly disks: SmallDisks | undefined;
  daemon: Daemon;
  /** Starts the daemon's next life; an order may make it die at once. */
  start(order?: Order): Promise<void>;
  killDatabase(): Promise<void>;
  /** Kills daemon and database, as a power cut would. */
  stopAll(): Promise<void>;
};

type WorldSetup = { program: Program; accounts: readonly string[]; queue: QueueKind; canMount: boolean };

export async function openWorld({ program, accounts, queue, canMount }: WorldSetup): Promise<World> {
  const root = await makeRoot();
  const service = await startService(program, join(root, 'sandbox'), accounts);
  const place = await openPlace(root, accounts, service.url);
  const redis = queue === 'redis' ? await startRedisServer() : undefined;
  const disks = canMount ? mountSmallDisks(root, ['out', 'data/archive', 'data/journal']) : undefined;
  const ledger = viewLedger(() => findEmbedded(root));
  const env: Record<string, string> = redis ? { REDIS_URL: redis.url } : {};
  let life = 0;
  const begin = (order?: Order) => {
    life += 1;
    return startLife(program, root, { life, env, order });
  };
  const world: World = {
    place,
    hosts: [{ root, env }],
    kept: [join(root, 'sandbox')],
    service,
    ledger,
    redis,
    disks,
    drops: [],
    accounts: { forgotten: new Set(), compared: new Set(), exposed: new Set() },
    drop: place.drop,
    leftovers: place.leftovers,
    journals: async () => [join(root, 'data', 'journal', 'sends.jsonl')],
    lastWords: () => world.daemon.lastWords(),
    daemon: begin(),
    start: async (order) => {
      world.daemon = begin(order);
      await world.daemon.ready;
    },
    killDatabase: async () => {
      const pid = await findPostmaster(root);
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

/** Folders of an installation on small disks of their own, which can be filled and freed. */
type SmallDisks = { fill(where: string): void; free(where: string): void; remove(): void };

const SIZE_KIB = 16_384;

function mountSmallDisks(root: string, places: readonly string[]): SmallDisks {
  const disks: SmallDisk[] = places.map((place) => mountSmallDisk(join(root, place), SIZE_KIB));
  const ballast = (where: string) => join(root, where, '.ballast');
  return {
    fill: (where) => {
      const file = openSync(ballast(where), 'w');
      const block = Buffer.alloc(4_096);
      try {
        for (;;) writeSync(file, block);
      } catch {
        // The disk is full.
      } finally {
        closeSync(file);
      }
    },
    free: (where) => rmSync(ballast(where), { force: true }),
    remove: () => {
      for (const disk of disks) disk.remove();
    },
  };
}
