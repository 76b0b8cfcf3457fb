import { open, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { sha256Of } from '../../kernel/hash.ts';
import {
  canReach,
  type Cluster,
  type ClusterPlace,
  DATA_NAME,
  dataFolderOf,
  LOG_NAME,
  logFileOf,
  runProgram,
  startFailed,
  makePrivateFolder,
  replaceFile,
} from './cluster.ts';
import { isPostmaster, readPostmasterFile, removeMisleadingFiles } from './ask-server.ts';

/** What the log says when another process was faster, or when an earlier server is not quite gone. */
const TAKEN = /lock file "[^"]*" (already exists|is empty)|pre-existing shared memory block/;

const STOP_PATIENCE_MS = 60_000;
const LOG_LIMIT_BYTES = 5_000_000;

/**
 * Starts the server, detached from this process, and waits until it is ready.
 * @returns taken when another process is starting or stopping it: ask again
 * @throws PipelineError LEDGER_START_FAILED with the last lines of PostgreSQL's log
 */
export async function startServer(cluster: Cluster): Promise<'started' | 'taken'> {
  await refuseClosedHome(cluster);
  await removeMisleadingFiles(cluster);
  await writeSettings(cluster, await chooseSocketFolder(cluster));
  await turnLog(cluster);
  const logStart = await sizeOf(logFileOf(cluster));
  const run = await runControl(cluster, ['start', '--wait', '--timeout=120', `--log=${LOG_NAME}`]);
  if (run.status === 0) {
    cluster.log.info({ home: cluster.home }, 'embedded PostgreSQL started');
    return 'started';
  }
  const said = await readLog(cluster, logStart);
  if (TAKEN.test(said)) return 'taken';
  const file = await readPostmasterFile(cluster);
  if (file && (await isPostmaster(file.pid, cluster))) return 'taken';
  throw startFailed(cluster.home, said === '' ? run.output : said);
}

/** Stops the server at once but cleanly: transactions are rolled back, and the next start needs no recovery. */
export async function stopServer(cluster: Cluster): Promise<void> {
  const file = await readPostmasterFile(cluster);
  const run = await runControl(cluster, ['stop', '--mode=fast', '--no-wait']);
  if (run.status !== 0 || !file) throw new Error(run.output);
  await waitForEnd(cluster, file.pid);
  cluster.log.info({ home: cluster.home }, 'embedded PostgreSQL stopped');
}

/**
 * Waits for the process, not for the lock file as pg_ctl would. If another process restarts the server at once, pg_ctl
 * takes the new server for the old one and waits a minute.
 */
export async function waitForEnd(cluster: ClusterPlace, pid: number): Promise<void> {
  const deadline = performance.now() + STOP_PATIENCE_MS;
  while (await isPostmaster(pid, cluster)) {
    if (performance.now() > deadline) throw new Error('the server is still stopping');
    await delay(20);
  }
}

async function runControl(cluster: Cluster, words: readonly string[]) {
  const control = join(await cluster.findPrograms(), 'pg_ctl');
  const running = runProgram(control, [...words, '-D', DATA_NAME], { user: cluster.user, folder: cluster.home });
  cluster.meanwhile();
  return running;
}

/** Refuses a home whose parent folders were closed after the cluster was made. */
async function refuseClosedHome(cluster: Cluster): Promise<void> {
  const { user, home } = cluster;
  if (!user || (await canReach(user, home))) return;
  throw startFailed(
    home,
    `the server runs as user "${user.name}", who may not enter that folder`,
    `Allow other users to pass through the folders above it (chmod o+x), or set DATABASE_URL.`,
  );
}

/** Keeps one old log, so that logs cannot fill the disk over the years. */
async function turnLog(cluster: Cluster): Promise<void> {
  const file = logFileOf(cluster);
  if ((await sizeOf(file)) > LOG_LIMIT_BYTES) await rename(file, `${file}.1`);
}

/** Returns what was written to the log since it had the given size. */
export async function readLog(cluster: ClusterPlace, start: number): Promise<string> {
  const handle = await open(logFileOf(cluster)).catch(() => undefined);
  if (!handle) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64_000), 0, 64_000, start);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await handle.close();
  }
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0;
}

/** Longest socket path that the kernel takes, in bytes: sun_path without its final zero. */
const LONGEST_SOCKET_PATH = process.platform === 'linux' ? 107 : 103;

/**
 * Returns the folder for the server's socket, created if missing: 0700 and owned by the server's user. It is `run`
 * beside the data, or a temporary folder with a fixed name if that path is too long for a socket.
 */
export async function chooseSocketFolder(place: ClusterPlace): Promise<string> {
  const { user, home } = place;
  const name = `paydrop-${user?.uid ?? process.getuid?.()}-${sha256Of(home).slice(0, 16)}`;
  for (const folder of [join(home, 'run'), join(tmpdir(), name), join('/tmp', name)]) {
    if (Buffer.byteLength(join(folder, '.s.PGSQL.5432')) > LONGEST_SOCKET_PATH) continue;
    // Root's TMPDIR may be in root's home, where the server's user cannot go.
    if (user && !(await canReach(user, dirname(folder)))) continue;
    await makePrivateFolder(folder, user);
    return folder;
  }
  throw startFailed(
    home,
    'its path is too long for a socket, and no temporary folder can be used instead',
    'Use a data folder with a shorter path, or set DATABASE_URL.',
  );
}

/** The whole postgresql.conf; everything else has PostgreSQL's default. */
const SETTINGS = {
  // A socket in a private folder needs no password and cannot be reached from the network.
  listen_addresses: '',
  port: 5432,
  unix_socket_permissions: '0700',

  max_connections: 100,
  max_logical_replication_workers: 0,
  shared_buffers: '64MB',
  max_wal_size: '1GB',
  min_wal_size: '32MB',

  client_encoding: 'utf8',
  lc_messages: 'C',
  timezone: 'UTC',
  log_timezone: 'UTC',
  default_text_search_config: 'pg_catalog.simple',

  // The log must never hold a data value. Statement errors quote values in their first line (`invalid input syntax for
  // type integer: "..."`), so they are not logged: the client gets them. The log covers the server's own life (LOG,
  // FATAL, PANIC). The other settings are a second net, in case the first is raised for a while.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_statement: 'none',
  log_min_duration_statement: -1,
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
  log_error_verbosity: 'terse',
} as const;

const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' } as const;
/** For tests, whose processes all share one server. */
const FLEETING = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: 500 } as const;

/** Rewrites postgresql.conf before each start, so that a newer paydrop brings its settings to an older cluster. */
async function writeSettings(cluster: Cluster, socketFolder: string): Promise<void> {
  const path = join(dataFolderOf(cluster), 'postgresql.conf');
  await replaceFile(path, settingsText({ socketFolder, fsync: cluster.fsync }), cluster.user);
}

export function settingsText(options: { socketFolder: string; fsync: boolean }): string {
  const settings = {
    ...SETTINGS,
    ...(options.fsync ? DURABLE : FLEETING),
    unix_socket_directories: quoteListItem(options.socketFolder),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${quoteSetting(String(value))}`);
  return ['# Written by paydrop before every start. Use ALTER SYSTEM for settings of your own.', ...lines, ''].join(
    '\n',
  );
}

/** Quotes an item of a list; without quotes, a comma in the path would make two folders. */
export function quoteListItem(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function quoteSetting(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
