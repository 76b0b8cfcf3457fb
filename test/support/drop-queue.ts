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
