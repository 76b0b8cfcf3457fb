import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { PipelineError, reasonOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { askServer, type Connection, type Presence, PRESENCE_LOCK, PRESENCE_NAME } from './ask-server.ts';
import { type Cluster, type ClusterPlace, startFailed } from './cluster.ts';
import { findCluster, hasData, initCluster, refuseOtherMajor } from './find-cluster.ts';
import { type Binaries, findBinaries, prepareBinaries } from './prepare-binaries.ts';
import { startServer, stopServer } from './start-server.ts';

export type EmbeddedServer = {
  /** For node-postgres: `host` is the socket folder. */
  connection: Connection;
  /** Leaves the server; close your own pools first. The last to leave stops it. Idempotent. */
  leave(): Promise<void>;
};

/** Where the programs come from, and where root keeps what another user must reach. Tests provide their own. */
export type Places = { findBinaries: typeof findBinaries; sharedFolder: string };

type Options = { dataDir: string; log: Log; fsync?: boolean; meanwhile?: () => void };

export const INSTALLED: Places = { findBinaries, sharedFolder: '/var/lib/paydrop' };

/**
 * Joins the PostgreSQL that keeps the ledger of one installation, and starts it if it is not running. Several processes
 * may join at once. The server is detached: it survives the process that started it.
 *
 * @param options.dataDir paydrop's data folder; the cluster is in its `postgres`, or where its `WHERE.txt` says
 * @param options.fsync false trades durability for speed, for tests only
 * @param options.meanwhile called while PostgreSQL works, which needs nothing of this process then; perhaps repeatedly
 * @throws PipelineError LEDGER_START_FAILED; LEDGER_OTHER_POSTGRES, see `refuseOtherMajor`
 */
export async function joinEmbeddedServer(options: Options, places: Places = INSTALLED): Promise<EmbeddedServer> {
  try {
    const cluster = await openCluster(options, places);
    return stayIn(cluster, await enterServer(cluster));
  } catch (error) {
    throw error instanceof PipelineError ? error : startFailed(options.dataDir, error);
  }
}

async function openCluster(options: Options, places: Places): Promise<Cluster> {
  const binaries = await places.findBinaries();
  const place = await findCluster(options.dataDir, places.sharedFolder, options.log);
  await refuseOtherMajor(place, binaries.version);
  return makeCluster(place, binaries, options, places.sharedFolder);
}

/** Returns the cluster of a place with the programs that run it. */
export function makeCluster(
  place: ClusterPlace,
  binaries: Binaries,
  options: Pick<Options, 'fsync' | 'log' | 'meanwhile'>,
  sharedFolder: string,
): Cluster {
  let prepared: Promise<string> | undefined;
  return {
    ...place,
    fsync: options.fsync ?? true,
    log: options.log,
    meanwhile: options.meanwhile ?? (() => {}),
    // Only starting and stopping need the programs. A command next to the daemon joins without them.
    findPrograms: () => (prepared ??= prepareBinaries(binaries, place, sharedFolder)),
  };
}

/** Wait between two tries to restart a server, in ms. */
const AGAIN_MS = 2_000;

/** How long a server that is down may keep us from leaving, in ms. */
const LEAVE_MS = 10_000;

/**
 * Holds the presence by which other members know that the server is in use. A broken presence means the server died, so
 * it is restarted. Then the daemon's next query works, and a short command does not stop its server.
 */
function stayIn(cluster: Cluster, first: Presence): EmbeddedServer {
  let present: Promise<Presence | undefined> = Promise.resolve(first);
  let leaving: Promise<void> | undefined;

  function watchPresence(presence: Presence): Presence {
    presence.client.once('end', () => {
      if (!leaving) present = comeBack();
    });
    return presence;
  }

  /** Retries until the server is back or we leave: a full disk, for example, keeps it down only while it is full. */
  async function comeBack(): Promise<Presence | undefined> {
    cluster.log.warn({ home: cluster.home }, 'the embedded PostgreSQL stopped; joining it again');
    while (!leaving) {
      try {
        return watchPresence(await enterServer(cluster, { mayInit: false }));
      } catch (error) {
        cluster.log.error({ err: error }, 'the embedded PostgreSQL is not back yet');
        await wait(AGAIN_MS, undefined, { ref: false });
      }
    }
    return undefined;
  }

  async function leaveOnce(): Promise<void> {
    // Does not wait for a server that is down; the next process starts it.
    const presence = await Promise.race([present, wait(LEAVE_MS, undefined, { ref: false })]);
    if (presence) await leaveServer(cluster, presence);
  }

  watchPresence(first);
  return { connection: first.connection, leave: () => (leaving ??= leaveOnce()) };
}

/** How long backends of just closed pools may take to go, in ms. */
const FAREWELL_MS = 500;
const POLL_MS = 25;

/**
 * Gives up our presence, and stops the server when no other member or client uses it. Never throws: a server left
 * behind is harmless, because the next process joins it.
 */
export async function leaveServer(cluster: Cluster, presence: Presence): Promise<void> {
  const { client } = presence;
  // The presence does not keep the process alive, but leaving must finish before the process ends.
  client.ref();
  try {
    if (await becomeLast(client)) await stopServer(cluster);
  } catch (error) {
    cluster.log.warn({ reason: reasonOf(error) }, 'left the embedded PostgreSQL without stopping it');
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Trades our share of the presence lock for the whole lock. It releases the share first. Otherwise two members leaving
 * at once would see each other and both go, and the server would keep running unused. While we hold the whole lock no
 * member can join, so the stop cuts off none.
 */
async function becomeLast(client: Client): Promise<boolean> {
  await client.query(`SELECT pg_advisory_unlock_shared(${PRESENCE_LOCK})`);
  const { rows } = await client.query<{ granted: boolean }>(`SELECT pg_try_advisory_lock(${PRESENCE_LOCK}) AS granted`);
  return rows[0]?.granted === true && (await areOthersGone(client));
}

/** Waits for clients that are not members, such as psql; our own closed pools vanish a moment after closing. */
async function areOthersGone(client: Client): Promise<boolean> {
  const deadline = performance.now() + FAREWELL_MS;
  for (;;) {
    const { rows } = await client.query<{ others: number }>(
      `SELECT count(*)::int AS others FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND application_name <> $1`,
      [PRESENCE_NAME],
    );
    if (rows[0]?.others === 0) return true;
    if (performance.now() > deadline) return false;
    await wait(POLL_MS);
  }
}

const ASK_AGAIN_MS = 50;

/** Recovery after a crash may take long, but a stuck server must not block a command forever. */
const PATIENCE_MS = 120_000;

/** A recovering server says so when asked. One that is silent for this long, in ms, is stopped or overwhelmed. */
const SILENCE_MS = 20_000;

/**
 * Asks the server until it lets us in, and initializes and starts it as needed. No lock is held meanwhile. The rename
 * of a finished cluster, PostgreSQL's own interlock and the presence lock decide every race; the loser asks again.
 *
 * @param options.mayInit false when a ledger must already exist: an empty one must not replace a lost one
 */
export async function enterServer(
  cluster: Cluster,
  options: { mayInit?: boolean; patienceMs?: number; silenceMs?: number } = {},
): Promise<Presence> {
  const { mayInit = true, patienceMs = PATIENCE_MS, silenceMs = SILENCE_MS } = options;
  const begunAt = performance.now();
  let heardAt = begunAt;
  for (;;) {
    const answer = await askServer(cluster);
    if (typeof answer === 'object') return answer;
    if (answer !== 'silent') heardAt = performance.now();
    else if (performance.now() - heardAt > silenceMs) {
      const next = 'Find out why its processes are stopped or wait for the disk. paydrop continues when they do.';
      throw startFailed(cluster.home, 'the server is running but does not answer', next);
    }
    if (answer === 'absent') await raiseServer(cluster, mayInit);
    else await wait(ASK_AGAIN_MS);
    if (performance.now() - begunAt > patienceMs)
      throw startFailed(cluster.home, `the server accepted no connection for ${Math.round(patienceMs / 1000)} seconds`);
  }
}

async function raiseServer(cluster: Cluster, mayInit: boolean): Promise<void> {
  if (!(await hasData(cluster))) {
    if (!mayInit) throw startFailed(cluster.home, 'its data are missing', 'Restore them from a backup.');
    await initCluster(cluster);
  }
  if ((await startServer(cluster)) === 'taken') await wait(ASK_AGAIN_MS);
}
