import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { refreshStatistics } from '../../../src/ledger/engine/copy-in.ts';

let world: LedgerWorld;
beforeAll(async () => {
  // The planner knows nothing about brand-new tables.
  world = await openTestLedger({ schema: 'empty' });
});
afterAll(() => world.close());

/** Returns the planner's row estimate, -1 before it has one. */
async function believedRows(): Promise<number> {
  const { rows } = await world.ledger.pool.query<{ rows: number }>(
    `SELECT reltuples AS rows FROM pg_class WHERE oid = 'payment_row'::regclass`,
  );
  return rows[0]!.rows;
}

it('refreshStatistics tells the planner of many new rows, and leaves few to the server', async () => {
  await world.accepted({ batches: 2, rowsPerBatch: 10 });
  await refreshStatistics(world.ledger, 20, 21);
  expect(await believedRows()).toBe(-1);
  await refreshStatistics(world.ledger, 20, 20);
  expect(await believedRows()).toBe(20);
});
