import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../../support/build-program.ts';
import { upTo } from '../../support/payment-rows.ts';
import type { Order, QueueKind } from '../support/acts.ts';
import type { Daemon } from '../../support/daemon.ts';
import { runCommand, startLife, startService } from '../support/service.ts';
import { noneChanged, startRedisServer, type StoryHost, type StoryWorld, viewLedger } from '../support/story-world.ts';
import { makeRoot, openPlace, type Place } from '../support/open-world.ts';
import { type LedgerServer, startLedgerServer } from './ledger-server.ts';

/** One of the hosts: a folder that no other host sees, a send journal, and a process that can die. */
export type FleetHost = StoryHost & {
  readonly name: string;
  readonly journal: string;
  readonly daemon: Daemon;
  /** Starts the next life of its daemon unless one is alive; an order may make it die at once. */
  start(order?: Order): Promise<void>;
  /** Returns what it logged in its present life. */
  log(): Promise<string>;
  /** Runs a command on this host. */
  run(...words: string[]): Promise<{ status: number; said: string }>;
};

/** Hosts that send from one ledger, each with its own drop folders. */
export type Fleet = Omit<StoryWorld, 'hosts'> & {
  readonly hosts: readonly FleetHost[];
  readonly server: LedgerServer;
  startAll(): Promise<void>;
  /** Counts the calls of an account in all journals. */
  countSends(account: string): Promise<number>;
  /** Keeps a copy of a host's journal, for the checks or to be put back. Returns its path. */
  keepJournal(host: FleetHost): Promise<string>;
};

export type FleetSetup = { program: Program; accounts: readonly string[]; queue: QueueKind; hosts: number };

export async function openFleet({ program, accounts, queue, hosts: count }: FleetSetup): Promise<Fleet> {
  const root = await makeRoot();
  const service = await startService(program, join(root, 'sandbox'), accounts);
  const server = await startLedgerServer();
  const redis = queue === 'redis' ? await startRedisServer() : undefined;
  const env = {
    DATABASE_URL: server.url,
    ...(redis && { REDIS_URL: redis.url }),
    PAYDROP_MASTER_KEY: randomBytes(32).toString('base64'),
  };
  const names = upTo(count).map((n) => `host-${n}`);
  const places: Place[] = [];
  const hosts: FleetHost[] = [];
  for (const own of names) {
    const folder = join(root, own);
    await mkdir(folder);
    places.push(await openPlace(folder, accounts, service.url, { names, own }));
    hosts.push(openHost(program, folder, { ...env, PAYDROP_HOST: own, PAYDROP_SITE: own }));
    // The first host makes the tables.
    await hosts.at(-1)!.start();
  }
  const ledger = viewLedger(async () => server.place);
  const kept = join(root, 'journals');
  await mkdir(kept);
  const journals = async () => [
    ...hosts.map((host) => host.journal),
    ...(await readdir(kept)).map((name) => join(kept, name)),
  ];
  const leftovers = async () => (await Promise.all(places.map((place) => place.leftovers()))).flat();
  let drops = 0;
  return {
    hosts,
    server,
    service,
    ledger,
    redis,
    kept: [join(root, 'sandbox'), server.folder],
    drops: [],
    accounts: noneChanged(),
    // Alternates between running hosts, so that each gets files of every account.
    drop: async (drop) => {
      const alive = places.filter((_, index) => hosts[index]!.daemon.isAlive());
      await alive[(drops += 1) % alive.length]!.drop(drop);
    },
    leftovers,
    journals,
    startAll: async () => {
      await Promise.all(hosts.map((host) => host.start()));
    },
    countSends: async (account) => {
      const texts = await Promise.all((await journals()).map((path) => readFile(path, 'utf8').catch(() => '')));
      const calls = texts.flatMap((text) => text.split('\n').flatMap((line) => callOf(line, account)));
      return new Set(calls).size;
    },
    keepJournal: async (host) => {
      const copy = join(kept, `${host.name}-${(await readdir(kept)).length}.jsonl`);
      await copyFile(host.journal, copy);
      return copy;
    },
    waitForRest: async (timeoutMs) => {
      const started = performance.now();
      while (performance.now() - started < timeoutMs) {
        if ((await leftovers()).length === 0 && (await ledger.isAtRest())) return performance.now() - started;
        await sleep(50);
      }
      return undefined;
    },
    lastWords: () => hosts.map((host) => `${host.name}:\n${host.daemon.lastWords()}`).join('\n'),
    close: async () => {
      await Promise.all(hosts.map((host) => host.daemon.kill()));
      await ledger.close();
      await server.stop();
      await service.kill();
      await redis?.stop();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function callOf(line: string, account: string): string[] {
  if (!line.includes(`"account":"${account}"`)) return [];
  return /"call":"([^"]+)"/.exec(line)?.slice(1) ?? [];
}

function openHost(program: Program, root: string, env: Record<string, string> & { PAYDROP_HOST: string }): FleetHost {
  let life = 0;
  let daemon: Daemon | undefined;
  return {
    name: env.PAYDROP_HOST,
    root,
    env,
    journal: join(root, 'data', 'journal', 'sends.jsonl'),
    get daemon() {
      return daemon!;
    },
    start: async (order) => {
      if (daemon?.isAlive()) return;
      life += 1;
      daemon = startLife(program, root, { life, env, order });
      await daemon.ready;
    },
    log: () => readFile(join(root, 'logs', `daemon-${life}.log`), 'utf8').catch(() => ''),
    run: (...words) => runCommand(program, root, words, env),
  };
}
