import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, DatabaseError } from 'pg';
import { reasonOf, systemCode } from '../../kernel/errors.ts';
import { type Cluster, type ClusterPlace, dataFolderOf, startFailed } from './cluster.ts';

/** `ssl` is explicit: PGSSLMODE in the environment would otherwise ask for TLS, which a socket does not have. */
export type Connection = { host: string; port: number; user: string; database: string; ssl: false };

/** One idle connection that every member holds while it uses the server. */
export type Presence = { client: PresenceClient; connection: Connection };

/** node-postgres has these two, but its types lack them. They decide whether the connection keeps the process alive. */
type PresenceClient = Client & { ref(): void; unref(): void };

/** Busy while it starts, stops or is full; silent while it runs but does not answer; absent when it is not running. */
export type Answer = Presence | 'busy' | 'silent' | 'absent';

/** Names the presence connections in pg_stat_activity. */
export const PRESENCE_NAME = 'paydrop presence';

/** Members share this advisory lock; the last to leave takes it alone. Any two numbers will do, if they never change. */
export const PRESENCE_LOCK = '1885434980, 1919905902';

/** Longest wait for an answer, in ms. A server that starts or stops says so at once. */
const ANSWER_MS = 5_000;

/** Starting up, shutting down, terminated by a shutdown, crash of another backend, no free connection. */
const BUSY_STATES = new Set(['57P03', '57P01', '57P02', '53300']);

/**
 * Asks the server of this cluster to let us in.
 * @returns our presence, or why there is none
 * @throws PipelineError LEDGER_START_FAILED when it runs but will never let us in
 */
export async function askServer(cluster: Cluster): Promise<Answer> {
  const file = await readPostmasterFile(cluster);
  if (!file) return 'absent';
  // Tries the connection before looking for the process. A server in another container on the same volume is reachable
  // through its socket, but its process is invisible here.
  const answer = file.socketFolder === '' ? 'busy' : await tryPresence(cluster, file);
  return typeof answer === 'object' || (await isPostmaster(file.pid, cluster)) ? answer : 'absent';
}

async function tryPresence(cluster: Cluster, file: PostmasterFile): Promise<Presence | 'busy' | 'silent'> {
  const connection: Connection = {
    host: file.socketFolder,
    port: file.port,
    user: 'paydrop',
    database: 'paydrop',
    ssl: false,
  };
  const client = new Client({
    ...connection,
    application_name: PRESENCE_NAME,
    connectionTimeoutMillis: ANSWER_MS,
  }) as PresenceClient;
  // Without a listener, a server that goes away would crash the process.
  client.on('error', (error) => cluster.log.debug({ reason: reasonOf(error) }, 'presence connection broke'));
  let refusal: 'busy' | 'silent' = 'busy';
  try {
    await client.connect();
    // Refused only while the last member is stopping the server.
    const lock = `SELECT pg_try_advisory_lock_shared(${PRESENCE_LOCK}) AS granted`;
    if ((await client.query<{ granted: boolean }>(lock)).rows[0]?.granted) {
      client.unref();
      return { client, connection };
    }
  } catch (error) {
    if (!isPassing(error)) throw startFailed(cluster.home, error);
    if (isSilence(error)) refusal = 'silent';
  }
  await client.end().catch(() => {});
  return refusal;
}

/** Returns whether nothing came back: no answer in time, or a full queue of waiting connections. */
function isSilence(error: unknown): boolean {
  return systemCode(error) === 'EAGAIN' || reasonOf(error).includes('timeout expired');
}

/** Returns whether a server that is starting, stopping or gone can explain the failed connection. */
function isPassing(error: unknown): boolean {
  if (error instanceof DatabaseError) return BUSY_STATES.has(error.code ?? '');
  return !['EACCES', 'EPERM', 'EINVAL', 'EMFILE'].includes(systemCode(error) ?? '');
}

/** What a running server says about itself; the socket folder is empty while it starts. */
type PostmasterFile = { pid: number; port: number; socketFolder: string };

/** Reads postmaster.pid: process id, data folder, start time, port and socket folder, one per line. */
export async function readPostmasterFile(place: ClusterPlace): Promise<PostmasterFile | undefined> {
  try {
    const lines = (await readFile(pathOf(place), 'utf8')).split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3] ?? 0), socketFolder: lines[4] ?? '' };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Returns whether the process is the live server of this cluster. An id alone proves nothing: after a power cut, and
 * nearly always after a container restart, it belongs to another process.
 */
export async function isPostmaster(pid: number, place: ClusterPlace): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // A killed server that was not reaped yet is a zombie, state Z: it has an id but no longer runs.
  if (!/^\d+ \(postgres\) [^ZX]/.test(stat)) return false;
  // Readable for the same user and for root, except in a container that drops root's rights; then the name must do.
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return folder === undefined || folder === (await realpath(dataFolderOf(place)));
}

/**
 * Removes the lock files of a dead server whose process id now belongs to another process. PostgreSQL would take that
 * process for a live server and never start. Otherwise it clears them itself.
 */
export async function removeMisleadingFiles(place: ClusterPlace): Promise<void> {
  const file = await readPostmasterFile(place);
  if (!file || !isAlive(file.pid) || (await isPostmaster(file.pid, place))) return;
  await rm(pathOf(place), { force: true });
  if (file.socketFolder !== '') await rm(join(file.socketFolder, `.s.PGSQL.${file.port}.lock`), { force: true });
}

function pathOf(place: ClusterPlace): string {
  return join(dataFolderOf(place), 'postmaster.pid');
}

/** Returns whether a process with this id exists, under any user; false for an invalid id. */
export function isAlive(pid: number): boolean {
  // Zero and negative ids would address whole groups of processes.
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
