import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, readdirSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findFreePort } from './daemon.ts';
import { type ServiceVerdict, serviceVerdict } from './service-verdict.ts';

/** The PostgreSQL installed on this computer, with a data folder of its own, on a free port of the loopback. */
export type InstalledPostgres = {
  /** URL of its administrator, who needs no password. */
  readonly url: string;
  /** As `postgres --version` prints it. */
  readonly version: string;
  /** Ends the server as a crash would. */
  kill(): Promise<void>;
  /** Starts it again, with what it had committed. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

export function postgresVerdict(): ServiceVerdict {
  return serviceVerdict('PostgreSQL', 'tests with an installed PostgreSQL', findPrograms() !== undefined);
}

/** Finds the folder of initdb and postgres; Debian has one for each version. */
export function findPrograms(): string | undefined {
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versionsOf(DEBIAN).map((version) => join(DEBIAN, version, 'bin')),
  ];
  return folders.findLast((folder) => ['initdb', 'postgres'].every((name) => isProgram(join(folder, name))));
}

const DEBIAN = '/usr/lib/postgresql';

/** Returns the versions, oldest first. */
function versionsOf(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted((one, other) => Number(one) - Number(other));
  } catch {
    return [];
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param settings of the server beside its usual ones */
export async function startInstalledPostgres(
  settings: Record<string, string | number> = {},
): Promise<InstalledPostgres> {
  const programs = findPrograms();
  if (programs === undefined) throw new Error('no PostgreSQL is installed here');
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-installed-postgres-'));
  const owner = await giveAway(folder);
  const data = join(folder, 'data');
  const made = spawnSync(
    join(programs, 'initdb'),
    ['--pgdata', data, '--username', 'paydrop', '--auth', 'trust'],
    owner,
  );
  if (made.status !== 0) throw new Error(`initdb ended with ${made.status}: ${String(made.stderr)}`);
  const port = await findFreePort();
  const words = Object.entries({ ...SETTINGS, ...settings, port }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const url = `postgres://paydrop@127.0.0.1:${port}/postgres`;
  const start = async () => {
    const begun = spawn(join(programs, 'postgres'), ['-D', data, ...words], { ...owner, stdio: 'ignore' });
    await waitFor(url, begun);
    return begun;
  };
  let server = await start();
  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill(signal);
    await gone;
  };
  return {
    url,
    version: String(spawnSync(join(programs, 'postgres'), ['--version']).stdout).trim(),
    kill: () => end('SIGKILL'),
    restart: async () => {
      server = await start();
    },
    stop: async () => {
      await end('SIGQUIT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  // Only processes are killed; the computer goes on.
  fsync: 'off',
};

/** Gives a folder to the user that PostgreSQL's package brought, because PostgreSQL refuses to run as root. */
export async function giveAway(folder: string): Promise<{ uid?: number; gid?: number }> {
  if (userInfo().uid !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((which) => Number(spawnSync('id', [which, 'postgres']).stdout));
  await chown(folder, uid!, gid!);
  await chmod(folder, 0o700);
  return { uid: uid!, gid: gid! };
}

const START_MS = 120_000;

async function waitFor(url: string, server: ChildProcess): Promise<void> {
  for (const end = performance.now() + START_MS; ; await sleep(100)) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (server.exitCode !== null || performance.now() > end) throw error;
    }
  }
}
