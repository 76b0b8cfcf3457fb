/**
 * Removes all jobs of the queue that lies beside the ledger, and their schedules. To drop the whole schema, as `dropQueue`
 * does, means a hundred statements to make it again.
 */
export async function emptyQueue(database: { query(sql: string): Promise<unknown> }): Promise<void> {
  for (const table of ['job', 'scheduler', 'dedup', 'rate_limit', 'event'])
    await database.query(`DELETE FROM paydrop_queue.${table}`);
}
