import type { PoolClient } from 'pg';
import type { Ledger } from './open-ledger.ts';

/**
 * Runs `work` on things, such as the intake of files, in one process at a time; others wait. This avoids double work
 * and half-made files. Conditional moves protect the money, not this lock.
 *
 * Locks use connections of a separate pool. From the work's own pool, enough locks at once would leave no connection to
 * work with, and all would wait forever. So do not nest them.
 * @param things one or many; all processes lock them in one order, so that none waits for another that waits for it
 */
export async function withLock<Result>(
  ledger: Ledger,
  things: string | readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const client = await ledger.locks.connect();
  try {
    await client.query(`SELECT pg_advisory_lock($1, hash) FROM (${HASHES}) AS things`, [WORK_LOCKS, [things].flat()]);
    return await work();
  } finally {
    await giveBack(client, things);
  }
}

const HASHES = 'SELECT DISTINCT hashtext(thing) AS hash FROM unnest($2::text[]) thing ORDER BY hash';

/**
 * Runs `work` on a thing unless another caller, in this or another process, has it; a dead process has nothing. It
 * suits long work, because no caller waits. A few at a time may take locks of their own: there are far fewer of them
 * than connections.
 * @returns undefined when another caller has the thing
 */
export async function tryLock<Result>(
  ledger: Ledger,
  thing: string,
  work: () => Promise<Result>,
): Promise<{ result: Result } | undefined> {
  const client = await ledger.locks.connect();
  let isOurs = false;
  try {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1, hashtext($2)) AS taken', [
      WORK_LOCKS,
      thing,
    ]);
    isOurs = rows[0]?.taken === true;
    return isOurs ? { result: await work() } : undefined;
  } finally {
    if (isOurs) await giveBack(client, thing);
    else client.release();
  }
}

async function giveBack(client: PoolClient, things: string | readonly string[]): Promise<void> {
  const isFree = await client
    .query(`SELECT pg_advisory_unlock($1, hash) FROM (${HASHES}) AS things`, [WORK_LOCKS, [things].flat()])
    .then(
      () => true,
      () => false,
    );
  // A lock that could not be released ends with its connection.
  client.release(!isFree);
}

/** Namespace of these locks, separate from that of instance.ts. */
const WORK_LOCKS = 7_002;
