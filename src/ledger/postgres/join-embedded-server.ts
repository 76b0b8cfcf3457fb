import { setTimeout as wait } from 'node:timers/promises';
import { PipelineError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Connection, Presence } from './ask-server.ts';
import type { Cluster } from './cluster.ts';
import { enterServer } from './enter-server.ts';
import { findBinaries } from './find-binaries.ts';
import { findCluster } from './find-cluster.ts';
import { leaveServer } from './leave-server.ts';
import { prepareBinaries } from './prepare-binaries.ts';
import { startFailed } from './start-failed.ts';

export type EmbeddedServer = {
  /** For node-postgres: the socket folder stands in `host`. */
  connection: Connection;
  /** Leaves the server; close your own pools first. The last to leave stops it, others keep it. Idempotent. */
  leave(): Promise<void>;
};

/** Where the programs come from and where root keeps what another user must reach. Tests bring their own. */
export type Places = { findBinaries: typeof findBinaries; sharedFolder: string };

const INSTALLED: Places = { findBinaries, sharedFolder: '/var/lib/paydrop' };

/**
 * Joins the PostgreSQL that keeps the ledger of one installation, and starts it when it does not run. Several processes
 * may join at the same time. The server is detached: it survives the death of the process that started it.
 *
 * @param options.dataDir paydrop's data folder; the cluster stands in its `postgres`, or where its `WHERE.txt` says
 * @param options.fsync   false gives up durability for speed, for tests only
 * @throws PipelineError LEDGER_START_FAILED
 */
export async function joinEmbeddedServer(
  options: { dataDir: string; log: Log; fsync?: boolean },
  places: Places = INSTALLED,
): Promise<EmbeddedServer> {
  try {
    const cluster = await openCluster(options, places);
    return stayIn(cluster, await enterServer(cluster));
  } catch (error) {
    throw error instanceof PipelineError ? error : startFailed(options.dataDir, error);
  }
}

async function openCluster(options: { dataDir: string; log: Log; fsync?: boolean }, places: Places): Promise<Cluster> {
  const binaries = await places.findBinaries();
  const place = await findCluster(options.dataDir, places.sharedFolder, options.log);
  let prepared: Promise<string> | undefined;
  return {
    ...place,
    fsync: options.fsync ?? true,
    log: options.log,
    // Only starting and stopping need the programs. A command beside the daemon joins without looking at them.
    findPrograms: () => (prepared ??= prepareBinaries(binaries, place, places.sharedFolder)),
  };
}

/** Between two tries to start a server again that does not come up, in ms. */
const AGAIN_MS = 2_000;

/** How long a server that is down may keep us from leaving, in ms. */
const LEAVE_MS = 10_000;

/**
 * Keeps the presence that the last to leave is told by. A presence that breaks means that the server died, so it is
 * started again: the daemon's next query works, and a passing command does not stop the server under the daemon.
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

  /** Until it is back or we leave: a full disk, say, keeps it down for as long as it is full, and no longer. */
  async function comeBack(): Promise<Presence | undefined> {
    cluster.log.warn({ home: cluster.home }, 'the embedded PostgreSQL went away; joining it again');
    while (!leaving) {
      try {
        return watchPresence(await enterServer(cluster, { mayInit: false }));
      } catch (error) {
        cluster.log.error({ err: error }, 'the embedded PostgreSQL did not come back yet');
        await wait(AGAIN_MS, undefined, { ref: false });
      }
    }
    return undefined;
  }

  async function leaveOnce(): Promise<void> {
    // One that is down is not waited for; whoever starts next starts it.
    const presence = await Promise.race([present, wait(LEAVE_MS, undefined, { ref: false })]);
    if (presence) await leaveServer(cluster, presence);
  }

  watchPresence(first);
  return { connection: first.connection, leave: () => (leaving ??= leaveOnce()) };
}
