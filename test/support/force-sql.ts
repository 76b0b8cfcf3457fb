import type { App } from '../../src/app.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';

/** Runs a statement past the triggers, for states that take long to reach. */
export async function forceSql({ ledger }: Pick<App, 'ledger'>, sql: string, values: unknown[] = []): Promise<void> {
  const client = await ledger.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(sql, values);
    // The triggers would have noted the files that the statement changes.
    await client.query('INSERT INTO delivery SELECT file_no FROM file');
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

/** SQL that makes the planner know no table, whatever was counted while earlier tests filled them. */
export const FORGET_STATISTICS = `WITH forgotten AS (DELETE FROM pg_statistic)
  UPDATE pg_class SET relpages = 0, reltuples = -1 WHERE relkind = 'r' AND relnamespace = 'paydrop'::regnamespace`;

/** Makes the calls of an account, or the reports given for its batches, this many hours older. */
export async function ageBy(app: Pick<App, 'ledger'>, account: string, what: keyof typeof AGED, hours: number) {
  const set = AGED[what].map((column) => `${column} = t.${column} - $2 * interval '1 hour'`).join(', ');
  await forceSql(
    app,
    `UPDATE ${what} t SET ${set} FROM batch b WHERE b.account = $1 AND b.file_id = t.file_id AND b.batch_no = t.batch_no`,
    [account, hours],
  );
}

const AGED = { attempt: ['started_at', 'ended_at', 'host_at', 'service_at'], transaction_report: ['at'] } as const;

/** Returns a clock of the database beside that of the host, and its error in ms. */
export function clockBeside(clock: Clock): { wrongBy: { database: number }; databaseClock: Clock } {
  const wrongBy = { database: 0 };
  return { wrongBy, databaseClock: { now: () => new Date(clock.now().getTime() + wrongBy.database) } };
}

/** SQL that limits locks to this test's database; other tests run on the same server. */
export const OF_THIS_DATABASE = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';

/** Opens the ledger for the send journal of these tests, which has no file. */
export async function letSend(ledger: Ledger): Promise<Ledger> {
  const sender = { journal: '00000000-0000-4000-8000-000000000001', epoch: 1 };
  await ledger.pool.query(`INSERT INTO sender (journal, name, epoch) VALUES ($1, 'test', $2) ON CONFLICT DO NOTHING`, [
    sender.journal,
    sender.epoch,
  ]);
  // In one message, which is one transaction: another process may be doing the same.
  await ledger.pool.query(
    `LOCK TABLE admission IN EXCLUSIVE MODE;
     UPDATE admission SET is_open = false, closing = gen_random_uuid() WHERE NOT is_admitted('${sender.journal}', ${sender.epoch});
     UPDATE admission SET is_open = true, epoch = ${sender.epoch} WHERE NOT is_open`,
  );
  ledger.admitted.sender = sender;
  return ledger;
}

/**
 * Removes the queue beside the ledger, with all its jobs. Workers lock the same tables in another order; when
 * PostgreSQL ends this statement because of a deadlock, it is retried.
 */
export async function dropQueue(database: { query(sql: string): Promise<unknown> }): Promise<void> {
  for (;;) {
    try {
      await database.query('DROP SCHEMA IF EXISTS paydrop_queue CASCADE');
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== DEADLOCK) throw error;
    }
  }
}

const DEADLOCK = '40P01';

/**
 * Removes all jobs and schedules of the queue beside the ledger. After dropping the whole schema, as `dropQueue` does,
 * it takes a hundred statements to recreate it.
 */
export async function emptyQueue(database: { query(sql: string): Promise<unknown> }): Promise<void> {
  for (const table of ['job', 'scheduler', 'dedup', 'rate_limit', 'event'])
    await database.query(`DELETE FROM paydrop_queue.${table}`);
}
