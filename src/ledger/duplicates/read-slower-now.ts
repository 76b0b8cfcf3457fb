import type { Asked } from '../engine/asked.ts';

/**
 * The present by the slower of two clocks, that of this host and that of the database: one that was set forward must not make
 * long past what was yesterday.
 * @param databaseNow SQL of the present of the database
 */
export async function readSlowerNow(client: Pick<Asked, 'query'>, hostNow: Date, databaseNow: string): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>(`SELECT least($1::timestamptz, ${databaseNow}) AS now`, [hostNow]);
  return rows[0]!.now;
}
