import type { Ledger } from './open-ledger.ts';

/**
 * Lets one process at a time do `work` on a thing, such as the intake of a file, and has the others wait. It spares
 * double work and half-made files; what money depends on is held by conditional moves, not by this.
 *
 * The lock has a connection of its own, from a pool apart: were the locks taken from the pool that the work needs too,
 * enough of them at a time would leave none to work with, and all would wait for ever. So do not nest them.
 */
export async function withLock<Result>(ledger: Ledger, thing: string, work: () => Promise<Result>): Promise<Result> {
  const client = await ledger.locks.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [WORK_LOCKS, thing]);
    return await work();
  } finally {
    const isFree = await client.query('SELECT pg_advisory_unlock($1, hashtext($2))', [WORK_LOCKS, thing]).then(
      () => true,
      () => false,
    );
    // A lock that could not be given back goes with its connection.
    client.release(!isFree);
  }
}

/** Namespace of these locks, apart from those of instance.ts. */
const WORK_LOCKS = 7_002;
