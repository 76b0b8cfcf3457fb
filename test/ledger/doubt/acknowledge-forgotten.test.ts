import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acknowledgeForgotten } from '../../../src/ledger/account/pause-account.ts';
import { readForgottenSends } from '../../../src/ledger/account/read-holds.ts';
import { forget } from '../support/forget.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'all in the report of the bank' };

describe('acknowledgeForgotten', () => {
  it('marks every call of the account, once, and keeps them', async () => {
    await forget(world.ledger, { account: 'mine' }, { account: 'mine', attempt: 2 }, { account: 'other' });
    expect(await acknowledgeForgotten(world.ledger, 'mine', because)).toBe(2);
    expect(await acknowledgeForgotten(world.ledger, 'mine', because)).toBe(0);
    const mine = await readForgottenSends(world.ledger, 'mine');
    expect(mine).toHaveLength(2);
    for (const send of mine)
      expect(send).toMatchObject({ acknowledgedBy: 'operator:ada', acknowledgedAt: new Date(START) });
    expect(await readForgottenSends(world.ledger, 'other')).toMatchObject([{ acknowledgedAt: null }]);
  });

  it('leaves one link that names the calls', async () => {
    const fileId = 'aaaaaaaaaaaaaaaa';
    await forget(world.ledger, { account: 'named', fileId, batchNo: 3 });
    await acknowledgeForgotten(world.ledger, 'named', because);
    const { rows } = await world.ledger.pool.query(
      `SELECT actor, reason, evidence FROM audit WHERE move = 'acknowledge' AND evidence->>'account' = 'named'`,
    );
    expect(rows).toEqual([{ ...because, evidence: { account: 'named', sends: [`${fileId}/3 attempt 1`] } }]);
  });
});
