import type { Ledger } from './open-ledger.ts';

/**
 * Lets one process at a time do `work` on a thing, such as the intake of a file, and has the others wait. It spares
 * double work and half-made files; what money depends on is held by conditional moves, not by this.
 */
export async function withLock<Result>(ledger: Ledger, thing: string, work: () => Promise<Result>): Promise<Result> {
  const client = await ledger.pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [WORK_LOCKS, thing]);
    try {
      return await work();
    } finally {
      await client.query('SELECT pg_advisory_unlock($1, hashtext($2))', [WORK_LOCKS, thing]);
    }
  } finally {
    client.release();
  }
}

/** Namespace of these locks, apart from those of instance.ts. */
const WORK_LOCKS = 7_002;
