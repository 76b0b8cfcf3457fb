import { Client, DatabaseError } from 'pg';
import { reasonOf, systemCode } from '../../kernel/errors.ts';
import type { Cluster } from './cluster.ts';
import { isPostmaster, type PostmasterFile, readPostmasterFile } from './postmaster-file.ts';
import { startFailed } from './start-failed.ts';

/** `ssl` is explicit: PGSSLMODE in the environment would otherwise ask for TLS, which a socket does not have. */
export type Connection = { host: string; port: number; user: string; database: string; ssl: false };

/** One idle connection that every member holds while it uses the server. */
export type Presence = { client: PresenceClient; connection: Connection };

/** node-postgres has these two, but its types lack them. They decide whether the connection keeps the process alive. */
type PresenceClient = Client & { ref(): void; unref(): void };

export type Answer = { kind: 'ready'; presence: Presence } | { kind: 'busy' } | { kind: 'silent' } | { kind: 'absent' };

/** Names the presence connections in pg_stat_activity. */
export const PRESENCE_NAME = 'paydrop presence';

/**
 * Members share this advisory lock; the last to leave takes it alone. Any two numbers will do, if they never change.
 */
export const PRESENCE_LOCK: readonly [number, number] = [1_885_434_980, 1_919_905_902];

/** Longest wait for an answer, in ms. A server that starts or stops says so at once. */
const ANSWER_MS = 5_000;

/** Starting up, shutting down, terminated by a shutdown, crash of another backend, no free connection. */
const BUSY_STATES = new Set(['57P03', '57P01', '57P02', '53300']);

/**
 * Asks the server of this cluster to let us in.
 * @returns ready with our presence; busy while it starts, stops or is full; silent while it runs but does not answer;
 *   absent when it is not running
 * @throws PipelineError LEDGER_START_FAILED when it runs but will never let us in
 */
export async function askServer(cluster: Cluster): Promise<Answer> {
  const file = await readPostmasterFile(cluster);
  if (!file) return { kind: 'absent' };
  // Tries the connection before looking for the process. A server in another container on the same volume is reachable
  // through its socket, but its process is invisible here.
  const presence = file.socketFolder === '' ? undefined : await tryPresence(cluster, file);
  if (typeof presence === 'object') return { kind: 'ready', presence };
  return { kind: (await isPostmaster(file.pid, cluster)) ? (presence ?? 'busy') : 'absent' };
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
    if (await sharePresenceLock(client)) {
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

/** Takes our share of the lock, refused only while the last member is stopping the server. */
async function sharePresenceLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ granted: boolean }>('SELECT pg_try_advisory_lock_shared($1, $2) AS granted', [
    ...PRESENCE_LOCK,
  ]);
  return rows[0]?.granted === true;
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
