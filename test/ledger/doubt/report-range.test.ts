import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readReportRange } from '../../../src/ledger/doubt/keep-report.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';
import { chargedAt, doubtfulBatch } from '../../workers/support/resolve-context.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const HOUR_MS = 3_600_000;
const hours = (count: number) => new Date(new Date(START).getTime() + count * HOUR_MS);

describe('readReportRange', () => {
  it('begins with the last payment that a report must show before the call, and reaches up to now', async () => {
    for (const at of [-30, -20, -1]) await chargedAt(world, 'busy', hours(at));
    world.clock.set(START);
    const batch = await doubtfulBatch(world, { account: 'busy' });
    world.clock.set(hours(5));
    const range = await readReportRange(world.ledger, batch, 2 * HOUR_MS);
    expect(range).toEqual({ from: hours(-20), to: hours(5), readTo: null });
    // With such late times a payment may appear anywhere, so the first one serves as well as any.
    expect((await readReportRange(world.ledger, batch, 400 * HOUR_MS)).from).toEqual(hours(-30));
  });

  it('begins with the call when the account never charged anything before', async () => {
    world.clock.set(START);
    const batch = await doubtfulBatch(world, { account: 'new' });
    expect((await readReportRange(world.ledger, batch, HOUR_MS)).from).toEqual(hours(0));
  });
});
