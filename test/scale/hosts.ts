import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Role } from '../../schemas/jobs.ts';
import type { Program } from '../support/build-program.ts';
import { startInstalledPostgres } from '../support/installed-postgres.ts';
import { startTestRedis } from '../support/redis.ts';
import { startLife } from '../chaos/support/service.ts';
import type { Daemon } from '../support/daemon.ts';
import { agentCodeOf, PASSWORD } from '../support/installation.ts';

/** One host: a folder that no other host sees, with one process. */
export type Host = {
  readonly name: string;
  readonly root: string;
  readonly daemon: Daemon;
  /** Kills it as a power cut would, and starts it again. */
  killAndRestart(): Promise<void>;
  /** Stops it as its user would, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** What all hosts of an installation share: the configuration, the master key, the ledger and the queue. */
export type Shared = {
  program: Program;
  accounts: readonly string[];
  serviceUrl: string;
  databaseUrl: string;
  redisUrl?: string | undefined;
  /** Nothing is killed, so the usual sweep is often enough. */
  isCalm?: boolean;
  /** Calls in progress of a sending process; by default, as many as there are accounts. */
  submit?: number | undefined;
};

export type Hosts = {
  /** Starts a host. Its site is `main` unless given. */
  start(name: string, roles: readonly Role[], site?: string): Promise<Host>;
  /** Renames a file into a drop folder of a host. */
  drop(host: Host, account: string, name: string, content: string): Promise<void>;
  /** Environment of a command on any host. */
  readonly env: Record<string, string>;
  close(): Promise<void>;
};

/**
 * @param options.senders names of the hosts that send, when there are several
 * @param options.sites where the folders lie: `drop/<account>` for `main`, `<site>/<account>` for others
 */
export async function openHosts(
  shared: Shared,
  { sites = ['main'], senders }: { sites?: readonly string[]; senders?: readonly string[] } = {},
): Promise<Hosts> {
  const parent = await mkdtemp(join(tmpdir(), 'paydrop-hosts-'));
  await chmod(parent, 0o711);
  const config = stringify({ ...configOf(shared, sites), ...(senders && { senders }) });
  const env = {
    DATABASE_URL: shared.databaseUrl,
    ...(shared.redisUrl !== undefined && { REDIS_URL: shared.redisUrl }),
    PAYDROP_MASTER_KEY: randomBytes(32).toString('base64'),
  };
  const hosts: Host[] = [];
  return {
    env,
    start: async (name, roles, site = 'main') => {
      const root = join(parent, name);
      const drops = site === 'main' ? 'drop' : site;
      const folders = shared.accounts.map((account) => join(drops, account));
      for (const dir of ['data', 'incoming', 'logs', ...folders]) await mkdir(join(root, dir), { recursive: true });
      await writeFile(join(root, 'paydrop.yaml'), config, { mode: 0o600 });
      const level = shared.isCalm && { PAYDROP_LOG_LEVEL: 'info' };
      const own = { ...env, ...level, PAYDROP_HOST: name, PAYDROP_ROLES: roles.join(','), PAYDROP_SITE: site };
      const host = startHost({ name, root, env: own, program: shared.program });
      hosts.push(host);
      await host.daemon.ready;
      return host;
    },
    drop: async ({ root }, account, name, content) => {
      const aside = join(root, 'incoming', name);
      await writeFile(aside, content);
      const [drops = 'drop'] = (await readdir(root)).filter((entry) => entry === 'drop' || sites.includes(entry));
      await rename(aside, join(root, drops, account, name));
    },
    close: async () => {
      await Promise.all(hosts.map((host) => host.daemon.kill()));
      await rm(parent, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function startHost(setup: { name: string; root: string; env: Record<string, string>; program: Program }): Host {
  const { name, root, env, program } = setup;
  let life = 1;
  let daemon = startLife(program, root, { life, env });
  const startAgain = async () => {
    life += 1;
    daemon = startLife(program, root, { life, env });
    await daemon.ready;
  };
  return {
    name,
    root,
    get daemon() {
      return daemon;
    },
    killAndRestart: async () => {
      await daemon.kill();
      await startAgain();
    },
    restart: async () => {
      await daemon.stop();
      await startAgain();
    },
    stop: () => daemon.stop(),
  };
}

function configOf({ accounts, serviceUrl, submit, isCalm }: Shared, sites: readonly string[]) {
  return {
    ...(submit !== undefined && { concurrency: { submit } }),
    accounts: Object.fromEntries(
      accounts.map((name) => [
        name,
        {
          server: 'NA',
          country: 'US',
          currency: 'USD',
          agentCode: agentCodeOf(name),
          password: PASSWORD,
          baseUrl: serviceUrl,
          resolveWaitMs: 0,
          poll: { firstMs: 200, factor: 1.2, longestMs: 1_000 },
        },
      ]),
    ),
    folders: sites.flatMap((site) =>
      accounts.map((account) => ({
        path: join(site === 'main' ? 'drop' : site, account),
        site,
        account,
        operation: 'ach-charge',
        complete: { by: 'quiet', quietMs: 50, probes: 2 },
        // Files that are unusual beside earlier ones are not tested here.
        unusualFactor: 0,
      })),
    ),
    ...(!isCalm && { rescanMs: 500, sweepMs: 500 }),
  };
}

/** A server that is killed and comes back. */
export type Outage = { name: string; seconds: number; kill(): Promise<void>; restart(): Promise<void> };

type EngineWish = {
  /** `redis`; with anything else, the queue lies in the database. */
  queue: string;
  /** What is taken away in the middle: `postgres` or `redis`. */
  away?: string | undefined;
  seconds: number;
  /** How long the database waits before each commit, in ms, as if its disk or its replica were slow. */
  commitMs?: number;
  /** Set when the database that all tests share has too few connections for the processes. */
  isLarge?: boolean;
};

type Engines = {
  given: { databaseUrl?: string; redisUrl?: string; outage?: Outage };
  stop(): Promise<void>;
};

/**
 * Opens the servers of a run. All tests share one database, so a database that goes away or has many clients is one
 * installed on this computer.
 */
export async function openEngines(wish: EngineWish): Promise<Engines> {
  const { queue, away, seconds, commitMs = 0, isLarge = commitMs > 0 } = wish;
  const redis = queue === 'redis' || away === 'redis' ? await startTestRedis() : undefined;
  const postgres =
    away === 'postgres' || isLarge
      ? await startInstalledPostgres(commitMs > 0 ? slowCommits(commitMs) : {})
      : undefined;
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

/** Each commit waits, also when no other transaction is open. */
function slowCommits(ms: number): Record<string, string | number> {
  return { fsync: 'on', commit_delay: ms * 1_000, commit_siblings: 0, max_connections: 500 };
}
