import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countClaimed } from '../../../src/ledger/schedule/read-runs.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
  for (const [folder, at] of [
    ['drop/dues', '2026-06-15T10:00:00Z'],
    ['drop/dues', '2026-06-15T11:00:00Z'],
    ['drop/fees', '2026-06-15T11:00:00Z'],
  ] as const)
    await world.claimed({ folder, claimedAt: new Date(at) });
});
afterAll(() => world.close());

describe('countClaimed', () => {
  it.each([
    [['drop/dues'], '10:00', '11:00', 2],
    [['drop/dues', 'drop/fees'], '10:00', '11:00', 3],
    [['drop/dues'], '10:01', '11:00', 1],
    [['drop/dues'], '10:00', '10:59', 1],
    [['drop/none'], '10:00', '11:00', 0],
    [[], '10:00', '11:00', 0],
  ])('in %j from %s until %s: %i', async (folders, from, until, files) => {
    const at = (time: string) => new Date(`2026-06-15T${time}:00Z`);
    expect(await countClaimed(world.ledger, folders, at(from), at(until))).toBe(files);
  });
});
