import type { DashboardWorld } from '../../support/dashboard-world.ts';

/** Returns who made these moves and why, in order. */
export async function readAuditOf(world: DashboardWorld, move: string): Promise<{ actor: string; reason: string }[]> {
  const { rows } = await world.app.ledger.pool.query<{ actor: string; reason: string }>(
    'SELECT actor, reason FROM audit WHERE move = $1 ORDER BY seq',
    [move],
  );
  return rows;
}
