import type { Ledger } from './open-ledger.ts';

/**
 * Tells the planner of rows that have just come. It would hear of them from the server itself a minute later; until then it
 * takes a table with a million new rows for what it was before, and may choose plans that read all of them again and again.
 * @param rows that have come; for few it is not worth its price, a sample of the whole table
 */
export async function refreshStatistics({ pool }: Ledger, rows: number, manyRows = MANY_ROWS): Promise<void> {
  if (rows >= manyRows) await pool.query('ANALYZE payment_row, batch');
}

const MANY_ROWS = 50_000;
