import type { World } from '../world.ts';

/** One of what a query finds as `found`, in an order that the seed knows. */
export async function pickFrom<Found>(world: World, sql: string, values: unknown[] = []): Promise<Found | undefined> {
  const { rows } = await world.office.pool.query<{ found: Found }>(sql, values);
  return rows.length === 0 ? undefined : world.choose.one(rows).found;
}
