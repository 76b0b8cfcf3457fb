import type { Pool } from 'pg';

/** Returns whether a session of this test's database waits for a lock. */
export async function waitsForLock(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
  );
  return rowCount !== 0;
}
