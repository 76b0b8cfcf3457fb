import { setTimeout as delay } from 'node:timers/promises';
import { askServer, type Presence } from './ask-server.ts';
import type { Cluster } from './cluster.ts';
import { hasData, initCluster } from './init-cluster.ts';
import { startFailed } from './start-failed.ts';
import { startServer } from './start-server.ts';

const POLL_MS = 50;

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
  const deadline = performance.now() + patienceMs;
  let heardAt = performance.now();
  for (;;) {
    const answer = await askServer(cluster);
    if (answer.kind !== 'silent') heardAt = performance.now();
    switch (answer.kind) {
      case 'ready':
        return answer.presence;
      case 'absent':
        await raiseServer(cluster, mayInit);
        break;
      case 'busy':
        await delay(POLL_MS);
        break;
      case 'silent':
        if (performance.now() - heardAt > silenceMs) throw neverAnswers(cluster);
        await delay(POLL_MS);
        break;
    }
    if (performance.now() > deadline) throw neverReady(cluster, patienceMs);
  }
}

async function raiseServer(cluster: Cluster, mayInit: boolean): Promise<void> {
  if (!(await hasData(cluster))) {
    if (!mayInit) throw startFailed(cluster.home, 'its data are gone', 'Restore them from a backup.');
    await initCluster(cluster);
  }
  if ((await startServer(cluster)) === 'taken') await delay(POLL_MS);
}

function neverAnswers(cluster: Cluster) {
  const next = 'Find out why its processes are stopped or wait for the disk. When they go on, everything goes on.';
  return startFailed(cluster.home, 'the server runs and answers nobody', next);
}

function neverReady(cluster: Cluster, patienceMs: number) {
  return startFailed(cluster.home, `the server let nobody in for ${Math.round(patienceMs / 1000)} seconds`);
}
