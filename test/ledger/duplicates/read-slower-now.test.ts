import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSlowerNow } from '../../../src/ledger/duplicates/find-charged-rows.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('readSlowerNow', () => {
  it.each([
    [0, START],
    [1_000, START],
    [-1_000, '2026-06-15T09:59:59.000Z'],
  ])('with the clock of the database wrong by %i ms is %s', async (wrongBy, now) => {
    world.wrongBy.database = wrongBy;
    const { ledger } = world;
    expect(await readSlowerNow(ledger.pool, ledger.clock.now(), ledger.databaseNow())).toEqual(new Date(now));
  });
});
