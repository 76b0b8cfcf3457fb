import type { Ledger } from './open-ledger.ts';

/**
 * Tells the planner about new rows, which the server itself would do only a minute later. Until then the planner does
 * not know of a million new rows. It may choose plans that read all of them again and again.
 * @param rows number of new rows; for few, sampling the whole table costs too much
 */
export async function refreshStatistics({ pool }: Ledger, rows: number, manyRows = MANY_ROWS): Promise<void> {
  if (rows >= manyRows) await pool.query('ANALYZE payment_row, batch');
}

const MANY_ROWS = 50_000;
