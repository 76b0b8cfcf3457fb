import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { findPrograms, giveAway } from '../../support/installed-postgres.ts';
import { killProcess } from '../support/service.ts';

const run = promisify(execFile);

/** The PostgreSQL from which several hosts send, as installed on this computer, and older states of it. */
export type LedgerServer = {
  /** The folder of everything it writes. */
  readonly folder: string;
  readonly url: string;
  /** Its address, whichever server is there at the moment. */
  readonly place: { host: string; port: number; database: string };
  /** Kills all of its processes, as a power cut would. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Copies its folder as it is at this moment, like a disk snapshot. */
  copy(): Promise<void>;
  /** Kills the server; one with the copy takes its place. */
  bringBackCopy(): Promise<void>;
  /** Starts a standby that streams from it. */
  openStandby(): Promise<void>;
  /** Makes the standby lag from here on. */
  cutStandby(): Promise<void>;
  /**
   * Promotes the standby, which new connections reach from then on.
   * @param splitMs how long the old primary goes on beside it
   */
  promoteStandby(splitMs: number): Promise<void>;
  stop(): Promise<void>;
};

/** One process with its data and its socket; several follow each other at one address. */
type Server = { readonly data: string; readonly sockets: string; readonly process: ChildProcess };

const PORT = 5432;
const USER = 'paydrop';
const DATABASE = 'postgres';

export async function startLedgerServer(): Promise<LedgerServer> {
  const programs = findPrograms();
  if (programs === undefined) throw new Error('no PostgreSQL is installed here');
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-fleet-'));
  const owner = await giveAway(folder);
  const program = (name: string, ...words: string[]) => run(join(programs, name), words, owner);
  const begin = async (data: string): Promise<Server> => {
    const sockets = `${data}-at`;
    await mkdir(sockets, { recursive: true });
    await giveAway(sockets);
    const settings = Object.entries({ ...SETTINGS, unix_socket_directories: sockets });
    const words = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const process = spawn(join(programs, 'postgres'), ['-D', data, ...words], { ...owner, stdio: 'ignore' });
    await waitFor(sockets, process);
    return { data, sockets, process };
  };
  const place = { host: join(folder, 'now'), port: PORT, database: DATABASE };
  let made = 0;
  const nextData = () => join(folder, `data-${(made += 1)}`);
  /** Renames the link, so that a server can always be reached. */
  const takePlace = async ({ sockets }: Server) => {
    await symlink(sockets, `${place.host}-next`);
    await rename(`${place.host}-next`, place.host);
  };

  const first = nextData();
  // Small WAL files, because all of them are copied.
  await program('initdb', '--pgdata', first, '--username', USER, '--auth', 'trust', '--wal-segsize', '1');
  let server = await begin(first);
  let standby: Server | undefined;
  let older: string | undefined;
  await takePlace(server);
  return {
    folder,
    place,
    url: `postgres://${USER}@/${DATABASE}?host=${encodeURIComponent(place.host)}&port=${PORT}`,
    kill: () => killServer(server),
    restart: async () => {
      server = await begin(server.data);
    },
    copy: async () => {
      older = nextData();
      const processes = await processesOf(server);
      for (const pid of processes) process.kill(pid, 'SIGSTOP');
      await run('cp', ['-a', server.data, older]);
      for (const pid of processes) process.kill(pid, 'SIGCONT');
      await rm(join(older, 'postmaster.pid'));
    },
    bringBackCopy: async () => {
      if (older === undefined) throw new Error('there is no copy');
      const before = server;
      await killServer(before);
      server = await begin(older);
      await takePlace(server);
      await rm(before.data, { recursive: true });
    },
    openStandby: async () => {
      const data = nextData();
      const from = ['--host', server.sockets, '--port', String(PORT), '--username', USER];
      await program('pg_basebackup', '--pgdata', data, '--write-recovery-conf', '--checkpoint', 'fast', ...from);
      standby = await begin(data);
    },
    cutStandby: async () => {
      await ask(standby!.sockets, `ALTER SYSTEM SET primary_conninfo = ''`);
      await ask(standby!.sockets, 'SELECT pg_reload_conf()');
      const isReceiving = async () => (await ask(standby!.sockets, 'SELECT FROM pg_stat_wal_receiver')).length > 0;
      await until(async () => !(await isReceiving()), 'the standby goes on receiving');
    },
    promoteStandby: async (splitMs) => {
      const before = server;
      server = standby!;
      standby = undefined;
      await ask(server.sockets, 'SELECT pg_promote()');
      await takePlace(server);
      await sleep(splitMs);
      await killServer(before);
      await rm(before.data, { recursive: true });
    },
    stop: async () => {
      for (const one of [server, standby]) if (one) await killServer(one);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const SETTINGS = {
  listen_addresses: '',
  port: PORT,
  max_connections: 250,
  shared_buffers: '64MB',
  wal_keep_size: '64MB',
  // Only processes are killed; the computer goes on.
  fsync: 'off',
};

async function processesOf({ process }: Server): Promise<number[]> {
  const { pid } = process;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  // The parent comes first, because it would start others.
  return [pid!, ...children.split(' ').filter(Boolean).map(Number)];
}

async function killServer(server: Server): Promise<void> {
  if (server.process.exitCode !== null || server.process.signalCode !== null) return;
  for (const pid of await processesOf(server)) await killProcess(pid);
}

async function ask(host: string, sql: string): Promise<object[]> {
  const client = new pg.Client({ host, port: PORT, user: USER, database: DATABASE, ssl: false });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}

const START_MS = 120_000;

async function waitFor(sockets: string, server: ChildProcess): Promise<void> {
  const isHere = async () => server.exitCode !== null || (await ask(sockets, 'SELECT 1')).length === 1;
  await until(isHere, `no server answers at ${sockets}`);
  if (server.exitCode !== null) throw new Error(`the server at ${sockets} ended with ${server.exitCode}`);
}

/** Waits until `isSo` holds; errors count as no. */
async function until(isSo: () => Promise<boolean>, complaint: string): Promise<void> {
  for (const end = performance.now() + START_MS; performance.now() < end; await sleep(50)) {
    const yes = await isSo().catch(() => false);
    if (yes) return;
  }
  throw new Error(complaint);
}
