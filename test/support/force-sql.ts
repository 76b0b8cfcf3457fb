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
