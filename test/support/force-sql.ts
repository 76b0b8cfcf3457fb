import type { App } from '../../src/app.ts';

/** A statement past the triggers, for states that take long to bring about. */
export async function forceSql({ ledger }: Pick<App, 'ledger'>, sql: string, values: unknown[] = []): Promise<void> {
  const client = await ledger.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(sql, values);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

/** As if so many hours had gone by since the calls of an account, or since reports were given for its batches. */
export async function ageBy(app: Pick<App, 'ledger'>, account: string, what: keyof typeof AGED, hours: number) {
  const set = AGED[what].map((column) => `${column} = t.${column} - $2 * interval '1 hour'`).join(', ');
  await forceSql(
    app,
    `UPDATE ${what} t SET ${set} FROM batch b WHERE b.account = $1 AND b.file_id = t.file_id AND b.batch_no = t.batch_no`,
    [account, hours],
  );
}

const AGED = { attempt: ['started_at', 'ended_at', 'host_at', 'service_at'], journal_report: ['at'] } as const;
