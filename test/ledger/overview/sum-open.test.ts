import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';
import { sumDoubt, sumHeld } from '../../../src/ledger/overview/count-open.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
beforeEach(() => world.empty());
afterAll(() => world.close());

describe('sumDoubt', () => {
  it('sums rows and cents of the batches in doubt per account, and no others', async () => {
    await world.batchIn('unknown', { account: 'main' });
    world.clock.advance(60_000);
    await world.batchIn('unknown', { account: 'main', rowsPerBatch: 3 });
    await world.batchIn('unknown', { account: 'side' });
    await world.batchIn('sending', { account: 'other' });
    await world.batchIn('refused', { account: 'other' });
    expect(await sumDoubt(world.ledger)).toMatchObject([
      { account: 'main', things: 2, rows: 5, cents: 500 + 900, oldestAt: new Date(START) },
      { account: 'side', things: 1, rows: 2, cents: 500 },
    ]);
  });

  it('is empty when nothing is in doubt', async () => {
    await world.batchIn('ready');
    expect(await sumDoubt(world.ledger)).toEqual([]);
  });
});

describe('sumHeld', () => {
  it('sums the valid rows of held files per account, and no others', async () => {
    await world.held({ account: 'main' });
    await world.held({ account: 'main', withheld: 2 });
    await world.accepted({ account: 'main' });
    expect(await sumHeld(world.ledger)).toEqual([
      { account: 'main', things: 2, rows: 4, cents: 1_000, oldestAt: new Date(START) },
    ]);
  });

  it('counts a held file of which nothing was read as 0 rows', async () => {
    const { file_id: fileId } = await world.claimed({ account: 'main' });
    await world.putFile(fileId, 'held');
    expect(await sumHeld(world.ledger)).toMatchObject([{ account: 'main', things: 1, rows: 0, cents: 0 }]);
  });
});
