import type { App } from '../../src/app.ts';

/** Runs statements on one connection with triggers off, because filling the ledger through them would take hours. */
export async function forceStatements({ ledger }: Pick<App, 'ledger'>, statements: readonly string[]): Promise<void> {
  const client = await ledger.pool.connect();
  try {
    await client.query(`SET session_replication_role = replica; SET synchronous_commit = off; SET statement_timeout = 0;
      SET maintenance_work_mem = '256MB'`);
    for (const statement of statements) await client.query(statement);
  } finally {
    // Destroys the connection, because its settings would persist.
    client.release(true);
  }
}
