import type { Pool } from 'pg';
import type { Log } from '../../../src/kernel/log.ts';
import { ALIVE_LOCKS, type Instance } from '../../../src/ledger/engine/instance.ts';
import { type Ledger, openPool } from '../../../src/ledger/engine/open-ledger.ts';

/** The connections of an instance to a server, including its sign of life. */
export type Link = {
  readonly pool: Pool;
  readonly locks: Pool;
  readonly instance: Instance;
  /** Does not wait for connections in use. */
  leave(): Promise<void>;
};

/** Returns the link with which an instance opened the ledger. */
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

/** Opens new pools and a new sign of life after an instance's address led to another server. */
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
