/**
 * Removes all jobs and schedules of the queue beside the ledger. After dropping the whole schema, as `dropQueue` does,
 * it takes a hundred statements to recreate it.
 */
export async function emptyQueue(database: { query(sql: string): Promise<unknown> }): Promise<void> {
  for (const table of ['job', 'scheduler', 'dedup', 'rate_limit', 'event'])
    await database.query(`DELETE FROM paydrop_queue.${table}`);
}
