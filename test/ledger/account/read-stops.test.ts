import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_ACCOUNTS, pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { stopAccount } from '../../../src/ledger/batch/prepare-batch.ts';
import { readStops } from '../../../src/ledger/account/read-holds.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('readStops', () => {
  it('lists the stops of all accounts, none at first', async () => {
    expect(await readStops(world.ledger)).toEqual([]);
    await stopAccount(world.ledger, 'main', 'restricted');
    await pauseAccount(world.ledger, ALL_ACCOUNTS, { actor: 'operator:ann', reason: 'to see' });
    expect(await readStops(world.ledger)).toMatchObject([
      { account: '*', kind: 'pause', reason: 'to see', actor: 'operator:ann', since: new Date(START) },
      { account: 'main', kind: 'fault', reason: 'restricted' },
    ]);
  });
});
