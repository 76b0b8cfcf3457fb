import type { Pool } from 'pg';
import type { Log } from '../../../src/kernel/log.ts';
import { ALIVE_LOCKS, type Instance } from '../../../src/ledger/engine/instance.ts';
import { type Ledger, openPool } from '../../../src/ledger/engine/open-ledger.ts';

/** The connections of an instance to a server, its sign of life among them. */
export type Link = {
  readonly pool: Pool;
  readonly locks: Pool;
  readonly instance: Instance;
  /** Waits for no connection that is in use. */
  leave(): Promise<void>;
};

/** That with which it has opened the ledger. */
export function firstLink({ pool, locks, instance }: Ledger): Link {
  return {
    pool,
    locks,
    instance,
    leave: async () => {
      await instance.leave();
      end(pool);
      end(locks);
    },
  };
}

/** What an instance has after its address led to another server: pools and sign of life anew. */
export async function openLink(connectionString: string, instance: Instance, log: Log): Promise<Link> {
  const [pool, locks] = [openPool({ connectionString }, { log }), openPool({ connectionString }, { log })];
  const sign = await locks.connect();
  await sign.query('SELECT pg_advisory_lock($1, hashtext($2))', [ALIVE_LOCKS, instance.id]);
  return {
    pool,
    locks,
    instance: { ...instance, isSettled: () => true },
    leave: async () => {
      sign.release(true);
      end(pool);
      end(locks);
    },
  };
}

function end(pool: Pool): void {
  pool.end().catch(() => undefined);
}
