import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { readExceptions } from '../../../src/ledger/doubt/find-batches-holding.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('readExceptions', () => {
  it('lists the batches whose result does not fit, and no others', async () => {
    for (const state of Object.keys(BATCH_STATES) as BatchState[]) await world.batchIn(state, { name: `${state}.csv` });
    expect(await readExceptions(world.ledger)).toEqual([
      expect.objectContaining({
        name: 'exception.csv',
        batchNo: 1,
        rows: 2,
        cents: 500,
        since: new Date(START),
        nextPollAt: null,
      }),
    ]);
  });
});
