import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import pg from 'pg';
import { reasonOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';

/** Namespace of the advisory locks that say "this instance is alive". */
export const ALIVE_LOCKS = 7_001;

/** How long to wait before a lost connection is taken up again, in ms. */
const REJOIN_MS = 1_000;

export type Instance = { readonly id: string; leave(): Promise<void> };

/**
 * Registers this process with the ledger by holding an advisory lock on a connection of its own. PostgreSQL frees the
 * lock when the process dies, however it dies, so others see at once that a batch lost its worker, without heartbeats
 * and without comparing clocks. A process cut off from the database counts as dead: its batches go to `unknown`, which
 * is the safe side, because it cannot record an answer either.
 */
export async function joinAsInstance(connection: pg.ClientConfig, log: Log): Promise<Instance> {
  const id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  let left = false;
  let client = await hold();

  async function hold(): Promise<pg.Client> {
    const fresh = new pg.Client({ ...connection, application_name: 'paydrop-instance', keepAlive: true });
    fresh.on('error', (error) =>
      log.warn({ code: 'LEDGER_UNREACHABLE' }, `instance connection lost: ${error.message}`),
    );
    fresh.on('end', () => {
      if (!left) void rejoin();
    });
    await fresh.connect();
    await fresh.query('SELECT pg_advisory_lock($1, hashtext($2))', [ALIVE_LOCKS, id]);
    return fresh;
  }

  async function rejoin(): Promise<void> {
    while (!left) {
      await new Promise((resolve) => setTimeout(resolve, REJOIN_MS).unref());
      try {
        client = await hold();
        return;
      } catch (error) {
        log.debug(`instance cannot rejoin yet: ${reasonOf(error)}`);
      }
    }
  }

  return {
    id,
    leave: async () => {
      left = true;
      await client.end().catch(() => {});
    },
  };
}
