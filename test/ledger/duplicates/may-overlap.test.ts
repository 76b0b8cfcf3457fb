import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginReading, endReading, mayOverlap } from '../../../src/ledger/file/count-readings.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('mayOverlap', () => {
  it('says no when one of the files is large', async () => {
    const files = [await world.claimed(), await world.claimed()];
    const fileIds = files.map((file) => file.file_id);
    const largest = Math.max(...files.map((file) => file.bytes));
    expect(await mayOverlap(world.ledger, fileIds, largest + 1)).toBe(true);
    expect(await mayOverlap(world.ledger, fileIds, largest)).toBe(false);
  });

  it('says no as long as a reading of one is counted', async () => {
    const fileIds = [(await world.claimed()).file_id, (await world.claimed()).file_id];
    await beginReading(world.ledger, fileIds[1]!);
    expect(await mayOverlap(world.ledger, fileIds, 1_000_000_000)).toBe(false);
    await endReading(world.ledger, fileIds[1]!);
    expect(await mayOverlap(world.ledger, fileIds, 1_000_000_000)).toBe(true);
  });
});
