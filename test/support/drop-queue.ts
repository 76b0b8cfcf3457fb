/**
 * Removes the queue that lies beside the ledger, with all its jobs. Workers lock the same tables in another order, and
 * PostgreSQL ends one of two that wait for each other: then it is tried again.
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
