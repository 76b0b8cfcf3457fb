import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { ALL_ACCOUNTS, pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { readAccountStates, readForgottenSends, readHolds, readStops } from '../../../src/ledger/account/read-holds.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { forget } from '../support/put-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { stopAccount } from '../../../src/ledger/account/stop-account.ts';

const world = openedForTests(openTestLedger);

describe('read holds', () => {
  beforeEach(() => world.empty());

  const because = { actor: 'operator:ada', reason: 'wait' };

  const HOLDING: readonly BatchState[] = ['sending', 'unknown', 'refused'];

  describe('readHolds', () => {
    it.each(Object.keys(BATCH_STATES) as BatchState[])('of an account with a batch that is %s', async (state) => {
      const batch = await world.batchIn(state, { name: 'june.csv' });
      const { stops, batches } = await readHolds(world.ledger, batch.account);
      expect(stops).toEqual([]);
      expect(batches).toEqual(
        HOLDING.includes(state)
          ? [expect.objectContaining({ ...keyOf(batch), name: 'june.csv', state, rows: 2, cents: 500 })]
          : [],
      );
      expect(await readHolds(world.ledger, 'another')).toEqual({ stops: [], batches: [] });
    });

    it('names the stops of the account and that of all of them', async () => {
      await pauseAccount(world.ledger, 'mine', because);
      await pauseAccount(world.ledger, 'other', because);
      await pauseAccount(world.ledger, ALL_ACCOUNTS, because);
      const stop = { kind: 'pause', reason: 'wait', actor: 'operator:ada', since: new Date(START) };
      expect((await readHolds(world.ledger, 'mine')).stops).toEqual([
        { ...stop, account: '*' },
        { ...stop, account: 'mine' },
      ]);
    });
  });

  describe('readAccountStates', () => {
    it('counts what waits, what is on its way and what was forgotten, those of the configuration first', async () => {
      await world.accepted({ account: 'zeta', batches: 3 });
      await world.batchIn('submitted', { account: 'zeta' });
      await world.held({ account: 'zeta' });
      await pauseAccount(world.ledger, 'gone', because);
      await forget(world.ledger, { account: 'lost' });
      const states = await readAccountStates(world.ledger, ['zeta', 'alpha']);
      expect(
        states.map(({ account, ready, onTheirWay, forgotten }) => [account, ready, onTheirWay, forgotten]),
      ).toEqual([
        ['zeta', 3, 1, 0],
        ['alpha', 0, 0, 0],
        ['gone', 0, 0, 0],
        ['lost', 0, 0, 1],
      ]);
      expect(states[2]!.stops).toHaveLength(1);
    });
  });

  describe('readForgottenSends', () => {
    it('lists the calls of one account in the order in which they were made', async () => {
      const [late, early] = ['2026-06-02T00:00:00.000Z', '2026-06-01T00:00:00.000Z'];
      await forget(world.ledger, { account: 'mine', at: late }, { account: 'mine', at: early }, { account: 'other' });
      expect((await readForgottenSends(world.ledger, 'mine')).map((send) => send.at.toISOString())).toEqual([
        early,
        late,
      ]);
    });
  });
});

describe('readStops', () => {
  beforeAll(() => world.empty());

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
