import type { World } from '../world.ts';

/** Picks one of the values that a query finds as `found`. It must order them, so that a seed repeats the choice. */
export async function pickFrom<Found>(world: World, sql: string, values: unknown[] = []): Promise<Found | undefined> {
  const { rows } = await world.office.pool.query<{ found: Found }>(sql, values);
  return rows.length === 0 ? undefined : world.choose.one(rows).found;
}
