import type { Pool, PoolClient } from 'pg';
import { askTogether } from './ask-together.ts';
import type { Ledger } from './open-ledger.ts';

/**
 * Lets one process at a time do `work` on a thing, such as the intake of a file, and has the others wait. It spares
 * double work and half-made files; what money depends on is held by conditional moves, not by this.
 *
 * The lock has a connection of its own, from a pool apart: were the locks taken from the pool that the work needs too,
 * enough of them at a time would leave none to work with, and all would wait for ever. So do not nest them.
 */
export function withLock<Result>(ledger: Ledger, thing: string, work: () => Promise<Result>): Promise<Result> {
  return lockAndAsk(ledger, thing, async () => undefined, work);
}

/**
 * The same, and asks what the work begins with in one message with the lock. It is answered when the lock is held.
 * @param ask its first questions go out with the lock
 */
export async function lockAndAsk<Answer, Result>(
  ledger: Ledger,
  thing: string,
  ask: (ledger: Ledger) => Promise<Answer>,
  work: (answer: Answer) => Promise<Result>,
): Promise<Result> {
  const client = await ledger.locks.connect();
  try {
    const [, answer] = await askTogether(client, (asked) => [
      asked.query('SELECT pg_advisory_lock($1, hashtext($2))', [WORK_LOCKS, thing]),
      ask({ ...ledger, pool: asked as unknown as Pool }),
    ]);
    return await work(answer);
  } finally {
    await giveBack(client, thing);
  }
}

/**
 * Does `work` on a thing unless somebody else has it, of this process or another; whoever died has nothing any more. For
 * work that may last, so that nobody waits for it. A few of these at a time may take locks of their own: their number is
 * kept far below that of the connections.
 * @returns undefined when somebody else has the thing
 */
export async function withFreeLock<Result>(
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

async function giveBack(client: PoolClient, thing: string): Promise<void> {
  const isFree = await client.query('SELECT pg_advisory_unlock($1, hashtext($2))', [WORK_LOCKS, thing]).then(
    () => true,
    () => false,
  );
  // A lock that could not be given back goes with its connection.
  client.release(!isFree);
}

/** Namespace of these locks, apart from those of instance.ts. */
const WORK_LOCKS = 7_002;
