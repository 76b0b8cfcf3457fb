import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  acknowledgeForgotten,
  ALL_ACCOUNTS,
  pauseAccount,
  resumeAccount,
} from '../../../src/ledger/account/pause-account.ts';
import { stopAccount } from '../../../src/ledger/batch/prepare-batch.ts';
import { forget } from '../support/forget.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'looked at' };
const kinds = async (account: string) =>
  (await world.ledger.pool.query('SELECT kind FROM account_stop WHERE account = $1 ORDER BY kind', [account])).rows.map(
    (row) => row.kind,
  );

describe('resumeAccount', () => {
  it('lifts every stop of an account at once, and says which', async () => {
    await pauseAccount(world.ledger, 'many', because);
    await stopAccount(world.ledger, 'many', 'the body of a batch is not its rows');
    expect(await kinds('many')).toEqual(['fault', 'pause']);
    expect(await resumeAccount(world.ledger, 'many', because)).toEqual(['fault', 'pause']);
    expect(await kinds('many')).toEqual([]);
  });

  it('says when nothing stopped it, and writes no link', async () => {
    expect(await resumeAccount(world.ledger, 'free', because)).toEqual([]);
    const { rowCount } = await world.ledger.pool.query(`SELECT 1 FROM audit WHERE evidence->>'account' = 'free'`);
    expect(rowCount).toBe(0);
  });

  it('lifts the stop of all accounts apart from those of single ones', async () => {
    await pauseAccount(world.ledger, ALL_ACCOUNTS, because);
    await pauseAccount(world.ledger, 'single', because);
    expect(await resumeAccount(world.ledger, 'single', because)).toEqual(['pause']);
    expect(await kinds(ALL_ACCOUNTS)).toEqual(['pause']);
    await pauseAccount(world.ledger, 'single', because);
    expect(await resumeAccount(world.ledger, ALL_ACCOUNTS, because)).toEqual(['pause']);
    expect(await kinds('single')).toEqual(['pause']);
  });

  it('refuses while the journal knows calls that nobody has looked at, and lifts nothing then', async () => {
    await forget(world.ledger, { account: 'ahead' });
    await pauseAccount(world.ledger, 'ahead', because);
    await expect(resumeAccount(world.ledger, 'ahead', because)).rejects.toMatchObject({
      code: 'JOURNAL_AHEAD',
      message: expect.stringContaining('paydrop account acknowledge ahead'),
    });
    expect(await kinds('ahead')).toEqual(['journal', 'pause']);
    await acknowledgeForgotten(world.ledger, 'ahead', because);
    expect(await resumeAccount(world.ledger, 'ahead', because)).toEqual(['journal', 'pause']);
  });
});
