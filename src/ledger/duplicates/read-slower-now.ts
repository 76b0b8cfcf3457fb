import type { Queryable } from '../engine/transaction.ts';

/**
 * Returns the earlier of the times of this host and the database, so that a clock set forward does not make recent
 * events look old.
 * @param databaseNow SQL for the database time
 */
export async function readSlowerNow(
  client: Pick<Queryable, 'query'>,
  hostNow: Date,
  databaseNow: string,
): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>(`SELECT least($1::timestamptz, ${databaseNow}) AS now`, [hostNow]);
  return rows[0]!.now;
}
