import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { reasonOf } from '../../kernel/errors.ts';
import { PRESENCE_LOCK, PRESENCE_NAME, type Presence } from './ask-server.ts';
import type { Cluster } from './cluster.ts';
import { stopServer } from './start-server.ts';

/** How long backends of pools that were just closed may take to go. */
const FAREWELL_MS = 500;
const POLL_MS = 25;

/**
 * Gives up our presence, and stops the server when no other member and no other client uses it. Never throws: at the
 * end of a process a server that stays behind is harmless, the next process joins it.
 */
export async function leaveServer(cluster: Cluster, presence: Presence): Promise<void> {
  const { client } = presence;
  // The presence does not keep the process alive, but the farewell must be finished before it ends.
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
 * Trades our share of the presence lock for the whole of it. The share is given back first: two members that leave at
 * the same time would otherwise see each other and both go, and the server would run on for nobody. While we hold the
 * whole lock nobody can join, so nothing is cut between the count and the stop.
 */
async function becomeLast(client: Client): Promise<boolean> {
  await client.query('SELECT pg_advisory_unlock_shared($1, $2)', [...PRESENCE_LOCK]);
  const { rows } = await client.query<{ granted: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS granted', [
    ...PRESENCE_LOCK,
  ]);
  return rows[0]?.granted === true && (await areOthersGone(client));
}

/** Looks for clients that are not members, such as psql; closed pools of our own vanish a moment after they are closed. */
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
    await delay(POLL_MS);
  }
}
