import { beforeEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { readBadges } from '../../../src/ledger/overview/read-badges.ts';
import { propose } from '../../../src/ledger/proposal/propose.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { openTestLedger } from '../../support/ledger-world.ts';

const world = openedForTests(openTestLedger);
const because = { actor: 'operator:bob', reason: 'wait' };
const read = () => readBadges(world.ledger, 'operator:ann');

beforeEach(() => world.empty());
describe('readBadges', () => {
  it('counts nothing in a quiet ledger', async () => {
    await world.accepted({ account: 'main' });
    expect(await read()).toEqual({ needsYou: 0, isInDoubt: false, approvals: 0, stopped: 0 });
  });

  it.each([
    ['unknown', { needsYou: 1, isInDoubt: true }],
    ['exception', { needsYou: 1, isInDoubt: true }],
    ['refused', { needsYou: 1, isInDoubt: false }],
    ['submitted', { needsYou: 0, isInDoubt: false }],
  ] as const)('counts a batch that is %s', async (state, counted) => {
    await world.batchIn(state);
    expect(await read()).toMatchObject(counted);
  });

  it('counts an account once, however often it is stopped', async () => {
    for (const account of ['main', 'side']) await pauseAccount(world.ledger, account, because);
    await world.ledger.pool.query(
      `INSERT INTO account_stop (account, reason, since, kind) SELECT account, reason, since, 'fault' FROM account_stop`,
    );
    expect(await read()).toMatchObject({ stopped: 2, needsYou: 4 });
  });

  it('leaves out the files and proposals of the person who looks', async () => {
    const mine = await world.held();
    await world.held();
    await world.ledger.pool.query(
      `INSERT INTO upload (account, folder, name, sha256, bytes, actor, at, file_id)
       SELECT account, folder, name, 'a', 1, 'operator:ann', claimed_at, file_id FROM file WHERE file_id = $1`,
      [mine.file_id],
    );
    expect(await read()).toMatchObject({ approvals: 1 });
    await proposeFor(mine.file_id, 'operator:ann');
    expect(await read()).toMatchObject({ approvals: 1 });
    // A held file that is proposed is one decision: whether to confirm it.
    await proposeFor((await world.held()).file_id, 'operator:bob');
    expect(await read()).toMatchObject({ approvals: 2 });
  });
});

function proposeFor(fileId: string, actor: string) {
  const order = { action: 'approve', binding: {}, reason: 'it is right' } as const;
  return transact(world.ledger, (tx) => propose(tx, { ...order, fileId, actor }));
}
