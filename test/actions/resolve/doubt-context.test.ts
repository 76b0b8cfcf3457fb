import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { propose } from '../../../src/ledger/proposal/propose.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { resolutionOf, sayResolved, takesTwoToResolve } from '../../../src/actions/resolve/doubt-context.ts';
import type { ActionContext } from '../../../src/actions/action.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { doubtfulBatch, persons } from '../../workers/support/resolve-context.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

function contextFor(isForTwo: boolean): ActionContext {
  const account = () => ({ secondPerson: persons(isForTwo) });
  const settings = { accounts: new Map() };
  return { ledger: world.ledger, settings, account, gateway: () => 'the gateway' } as unknown as ActionContext;
}

async function doubt() {
  const batch = await doubtfulBatch(world, { name: 'monday.csv' });
  return { kind: 'batch', batch, file: await readFileRow(world.ledger, batch.file_id) } as const;
}

describe('resolutionOf', () => {
  it('has what resolving a batch needs', async () => {
    const place = await doubt();
    const { file, batch, actor, dryRun, gateway } = resolutionOf(contextFor(false), place, 'operator:ada', true);
    expect([file, batch, actor, dryRun, gateway]).toEqual([
      place.file,
      place.batch,
      'operator:ada',
      true,
      'the gateway',
    ]);
  });
});

describe('takesTwoToResolve', () => {
  it('goes by the account, and refuses while a proposal waits', async () => {
    const place = await doubt();
    expect(await takesTwoToResolve(contextFor(false), place)).toBe(false);
    expect(await takesTwoToResolve(contextFor(true), place)).toBe(true);
    const { file_id: fileId, batch_no: batchNo } = place.batch;
    const proposal = { action: 'close-in-doubt', fileId, batchNo, binding: {}, reason: 'x', actor: 'operator:ada' };
    await transact(world.ledger, (tx) => propose(tx, proposal));
    await expect(takesTwoToResolve(contextFor(true), place)).rejects.toMatchObject({ code: 'PROPOSAL_OPEN' });
  });
});

describe('sayResolved', () => {
  it('says what was done and whether the account goes on', async () => {
    const place = await doubt();
    const held = await sayResolved(contextFor(false), 'close-in-doubt', place, { result: 'done' }, 'It is closed.');
    expect(held.details).toEqual(['It is closed.', `Account ${place.batch.account} still waits for something else.`]);
    await world.putBatch({ fileId: place.batch.file_id, batchNo: 1 }, 'reconciled');
    const free = await sayResolved(contextFor(false), 'close-in-doubt', place, { result: 'done' }, 'It is closed.');
    expect(free.details?.[1]).toBe(`Account ${place.batch.account} continues automatically.`);
    expect(free.json).toMatchObject({ batchNo: 1, result: 'done', state: 'reconciled' });
    await pauseAccount(world.ledger, place.batch.account, { actor: 'operator:ada', reason: 'wait' });
    expect(
      (await sayResolved(contextFor(false), 'close-in-doubt', place, { result: 'done' }, '')).details?.[1],
    ).toContain('still waits');
  });

  it('says that a proposal has done nothing yet', async () => {
    const done = await sayResolved(
      contextFor(true),
      'close-in-doubt',
      await doubt(),
      { result: 'proposed', proposalNo: 7 },
      'It is closed.',
    );
    expect(done.says).toContain('Another person must confirm it; nothing is done yet.');
    expect(done).toMatchObject({
      next: [{ to: 'proposals', proposalNo: 7 }],
      status: 'unknownOpen',
      json: { verb: 'close-in-doubt', name: 'monday.csv', proposalNo: 7, state: 'unknown' },
    });
  });
});
