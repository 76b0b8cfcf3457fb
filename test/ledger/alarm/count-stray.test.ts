import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countStray } from '../../../src/ledger/alarm/find-alarm-causes.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('countStray', () => {
  it('sums what is open of accounts that are not named, and nothing that is final', async () => {
    await world.accepted({ account: 'gone', batches: 2 });
    await world.batchIn('submitted', { account: 'gone' });
    const done = await world.batchIn('reconciled', { account: 'done' });
    await world.putFile(done.file_id, 'completed');
    await world.accepted({ account: 'main' });
    const stray = [{ account: 'gone', files: 2, batches: 3, rows: 6, cents: 1_900 }];
    expect(await countStray(world.ledger, ['main'])).toEqual(stray);
    expect(await countStray(world.ledger, ['main', 'gone'])).toEqual([]);
  });
});
