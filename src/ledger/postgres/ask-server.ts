import { Client, DatabaseError } from 'pg';
import { reasonOf, systemCode } from '../../kernel/errors.ts';
import { type Cluster, startFailed } from './cluster.ts';
import { isPostmaster, type PostmasterFile, readPostmasterFile } from './postmaster-file.ts';

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
