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
