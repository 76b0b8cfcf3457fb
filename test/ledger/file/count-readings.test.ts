import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFileId } from '../../../src/kernel/ids.ts';
import { beginReading, endReading, forgetReadings } from '../../../src/ledger/file/count-readings.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('beginReading', () => {
  it('counts the readings before it that nobody came back from', async () => {
    const fileId = newFileId();
    for (const deaths of [0, 1, 2]) expect(await beginReading(world.ledger, fileId)).toBe(deaths);
    expect(await beginReading(world.ledger, newFileId())).toBe(0);
  });

  it('does not count one whose reader lived on', async () => {
    const fileId = newFileId();
    await beginReading(world.ledger, fileId);
    expect(await beginReading(world.ledger, fileId)).toBe(1);
    await endReading(world.ledger, fileId);
    expect(await beginReading(world.ledger, fileId)).toBe(1);
  });

  it('begins anew when everything is forgotten, and when the only reader lived on', async () => {
    const forget = (fileId: string) => forgetReadings(world.ledger.pool, fileId);
    for (const end of [(fileId: string) => endReading(world.ledger, fileId), forget]) {
      const fileId = newFileId();
      await beginReading(world.ledger, fileId);
      await end(fileId);
      await end(fileId);
      expect(await beginReading(world.ledger, fileId)).toBe(0);
    }
  });

  it('is there for other processes before it is answered', async () => {
    const fileId = newFileId();
    await beginReading(world.ledger, fileId);
    expect(await beginReading(await world.openAgain(), fileId)).toBe(1);
  });
});
