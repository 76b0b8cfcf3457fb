import type { App } from '../../src/app.ts';

/** Statements past the triggers, one after the other on one connection, for a ledger that would take hours to fill honestly. */
export async function forceStatements({ ledger }: Pick<App, 'ledger'>, statements: readonly string[]): Promise<void> {
  const client = await ledger.pool.connect();
  try {
    await client.query(`SET session_replication_role = replica; SET synchronous_commit = off; SET statement_timeout = 0;
      SET maintenance_work_mem = '256MB'`);
    for (const statement of statements) await client.query(statement);
  } finally {
    // Not given back: its settings would stay with it.
    client.release(true);
  }
}
