import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { reasonOf } from '../../kernel/errors.ts';
import { PRESENCE_LOCK, PRESENCE_NAME, type Presence } from './ask-server.ts';
import type { Cluster } from './cluster.ts';
import { stopServer } from './start-server.ts';

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
  await client.query('SELECT pg_advisory_unlock_shared($1, $2)', [...PRESENCE_LOCK]);
  const { rows } = await client.query<{ granted: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS granted', [
    ...PRESENCE_LOCK,
  ]);
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
    await delay(POLL_MS);
  }
}
