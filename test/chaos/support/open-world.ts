import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { stringify } from 'yaml';
import { createMasterKeyFile } from '../../../src/crypto/master-key.ts';
import { agentCodeOf, PASSWORD } from '../../support/installation.ts';
import { type Drop, isCanadian, partnerOf } from './make-drops.ts';
import type { Program } from '../../support/build-program.ts';
import { mountSmallDisk, type SmallDisk } from '../../support/small-disk.ts';
import type { Daemon } from '../../support/daemon.ts';
import { killProcess, startLife, startService } from './service.ts';
import {
  findEmbedded,
  findPostmaster,
  noneChanged,
  startRedisServer,
  type StoryWorld,
  viewLedger,
} from './story-world.ts';
import type { Order, QueueKind } from './acts.ts';

/** The folder of an installation, with three drop folders for each account. */
export type Place = {
  readonly root: string;
  drop(drop: Drop): Promise<void>;
  /** Returns what lies in the drop folders and the work folder; at rest that is nothing. */
  leftovers(): Promise<string[]>;
  /** Returns where the payment file of a drop goes. */
  pathOf(drop: Pick<Drop, 'account' | 'folder' | 'name'>): string;
  /** Changes paydrop.yaml, as a person does. The daemon reads it when it starts. */
  configure(change: (config: PlaceConfig) => void): Promise<void>;
  /** Returns the agent code that an account has in paydrop.yaml now. */
  agentCodeOf(account: string): string;
  remove(): Promise<void>;
};

/** What a person changes in paydrop.yaml. */
export type PlaceConfig = {
  accounts: Record<string, PlaceAccount>;
  readonly folders: { readonly path: string; readonly site?: string; account: string; readonly operation: string }[];
};

type PlaceAccount = ReturnType<typeof accountOf>;

/** A marker announces card files; the others count as complete when they are quiet. */
const FOLDERS = [
  { operation: 'card', complete: { by: 'marker' } },
  { operation: 'ach-charge', complete: { by: 'quiet', quietMs: 50, probes: 2 } },
  { operation: 'ach-refund', complete: { by: 'quiet', quietMs: 50, probes: 2 } },
];

/**
 * A run that was killed while it wrote leaves its unnamed file to the sweep, an hour later. The empty file by which a
 * start tries a folder may come back when the power goes. Retired files are watched for an hour; they are empty.
 */
const PASSING = /^\.((.*-again-\d+\.csv\.[0-9a-f]+|paydrop-[0-9a-f]+)\.tmp|retired)$/;

/** Makes a new folder that holds everything of one installation. */
export async function makeRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-chaos-'));
  // Where the tests run as root, the database runs as another user and needs to pass through.
  await chmod(root, 0o711);
  return root;
}

/** The names of an installation's hosts, and which one a place is; each has drop folders of its own. */
export type Among = { names: readonly string[]; own: string };

/**
 * @param among by default, the place is the only host and gets a master key of its own
 * @param firstPollMs by default, the first query for a result comes too early
 */
export async function openPlace(
  root: string,
  accounts: readonly string[],
  serviceUrl: string,
  among?: Among,
  firstPollMs = 80,
): Promise<Place> {
  const pathOf = (account: string, operation: string, site = among?.own) =>
    join('drop', ...(site === undefined ? [] : [site]), account, operation);
  const sites = among?.names ?? [undefined];
  const foldersOf = (account: string, site: string | undefined) =>
    FOLDERS.map((folder) => ({
      path: pathOf(account, folder.operation, site),
      ...(site !== undefined && { site }),
      account,
      ...folder,
    }));
  const folders = sites.flatMap((site) => accounts.flatMap((account) => foldersOf(account, site)));
  const accountEntries = accounts.map((name) => [name, accountOf(name, serviceUrl, firstPollMs)] as const);
  const config = {
    accounts: Object.fromEntries(accountEntries) as PlaceConfig['accounts'],
    folders,
    batch: { maxRows: 5 },
    rescanMs: 400,
    sweepMs: 400,
    ...(among && { senders: among.names }),
  };
  const dropFolders = () => config.folders.filter(({ site }) => site === among?.own).map(({ path }) => path);
  const writeConfig = async () => {
    for (const dir of dropFolders()) await mkdir(join(root, dir), { recursive: true });
    await writeFile(join(root, 'paydrop.yaml'), stringify(config), { mode: 0o600 });
  };
  for (const dir of ['data', 'incoming', 'logs', 'out']) await mkdir(join(root, dir), { recursive: true });
  await writeConfig();
  await chmod(join(root, 'data'), 0o711);
  if (!among) createMasterKeyFile(join(root, 'data', 'master.key'));

  /** Renames the file into place, so that it appears all at once. */
  const put = async (path: string, content: string) => {
    const aside = join(root, 'incoming', 'next');
    await writeFile(aside, content);
    await rename(aside, path);
  };
  const pathOfDrop: Place['pathOf'] = ({ account, folder, name }) => join(root, pathOf(account, folder), name);
  return {
    root,
    pathOf: pathOfDrop,
    configure: async (change) => {
      const known = new Set(Object.keys(config.accounts));
      change(config);
      const fresh = Object.keys(config.accounts).filter((name) => !known.has(name));
      // An account that no folder has yet gets folders of its own.
      const alone = fresh.filter((name) => !config.folders.some((folder) => folder.account === name));
      config.folders.push(...alone.flatMap((name) => foldersOf(name, among?.own)));
      await writeConfig();
    },
    agentCodeOf: (account) => config.accounts[account]!.agentCode,
    drop: async (drop) => {
      const { folder, content, sidecar } = drop;
      const path = pathOfDrop(drop);
      if (sidecar !== undefined) await put(`${path}.ctl`, sidecar);
      await put(path, content);
      if (folder === 'card') await put(`${path}.done`, '');
    },
    leftovers: async () => {
      const found = await Promise.all(dropFolders().map((path) => readdir(join(root, path))));
      const work = await readdir(join(root, 'data', 'work')).catch(() => []);
      const lying = [...found.flat(), ...work.map((name) => `work/${name}`)];
      return lying.filter((path) => !PASSING.test(basename(path)));
    },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function accountOf(name: string, baseUrl: string, firstMs: number) {
  const [country, currency] = isCanadian(name) ? ['CA', 'CAD'] : ['US', 'USD'];
  return {
    server: 'NA',
    country,
    currency,
    agentCode: agentCodeOf(name),
    password: PASSWORD,
    baseUrl,
    resolveWaitMs: 0,
    // After these times a call with an unknown end is given up.
    connectTimeoutMs: 2_000,
    leaseMs: 60_000,
    answerTimeoutMs: 10_000,
    poll: { firstMs, factor: 1.2, longestMs: Math.max(firstMs, 400) },
  };
}

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

type WorldSetup = {
  program: Program;
  accounts: readonly string[];
  queue: QueueKind;
  canMount: boolean;
  firstPollMs?: number;
  /** Returns more of the environment for the processes of the installation in that folder. */
  prepare?: (root: string) => Record<string, string>;
};

export async function openWorld(setup: WorldSetup): Promise<World> {
  const { program, accounts, queue, canMount, prepare } = setup;
  const root = await makeRoot();
  const service = await startService(program, join(root, 'sandbox'), [...accounts, ...accounts.map(partnerOf)]);
  const place = await openPlace(root, accounts, service.url, undefined, setup.firstPollMs);
  const redis = queue === 'redis' ? await startRedisServer() : undefined;
  const disks = canMount ? mountSmallDisks(root, ['out', 'data/archive', 'data/journal']) : undefined;
  const ledger = viewLedger(() => findEmbedded(root));
  const env: Record<string, string> = { ...(redis && { REDIS_URL: redis.url }), ...prepare?.(root) };
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
    accounts: noneChanged(),
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
        // First and last: a run drops files, and what was dropped moves.
        const isQuiet = (await ledger.isAtRest()) && (await place.leftovers()).length === 0;
        if (isQuiet && (await ledger.isAtRest())) return performance.now() - started;
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
