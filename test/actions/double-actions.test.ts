import { reconcileBatch } from '../support/end-batches.ts';
import { describe, expect, it } from 'vitest';
import type { ActionContext } from '../../src/actions/action.ts';
import { release } from '../../src/actions/double-actions.ts';
import { confirmProposal } from '../../src/ledger/proposal/confirm-proposal.ts';
import { readBatchRow } from '../../src/ledger/file/read-file.ts';
import { transact } from '../../src/ledger/engine/transaction.ts';
import { changeOutcomes } from '../../src/ledger/row/change-outcomes.ts';
import { becomes, putFile } from '../ledger/duplicates/support/same-payments.ts';
import { openTestLedger } from '../support/ledger-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

/** When a release takes two persons; test/cli/commands/release.test.ts tests what it says and does with one. */

const world = openedForTests(openTestLedger);

const ADA = { actor: 'operator:ada', reason: 'two terms of dues' };
const BY = { actor: 'worker:poll', reason: 'it says so', source: 'asked again' };

let made = 0;

/** Makes a batch that waits, of an account where overrides take two persons or one. */
async function waiting(overrides: boolean) {
  const account = `release-${(made += 1)}`;
  const earlier = await putFile(world, { account, payments: [2] });
  await world.putBatch({ fileId: earlier.file_id, batchNo: 1 }, 'result_in');
  const key = { fileId: earlier.file_id, batchNo: 1 };
  await reconcileBatch(world.ledger, key, earlier.file_no, [becomes(2, 'declined', 5)], {});
  const file = await putFile(world, { account, payments: [2] });
  const learn = () => transact(world.ledger, (tx) => changeOutcomes(tx, key, [becomes(2, 'approved')], BY));
  const unlearn = () => transact(world.ledger, (tx) => changeOutcomes(tx, key, [becomes(2, 'declined', 5)], BY));
  await learn();
  const secondPerson = { refunds: false, overrides, resolutions: false };
  const settings = { accounts: new Map([[account, { secondPerson, timeZone: 'UTC' }]]), folders: [] };
  const context = { ledger: world.ledger, settings, clock: world.clock } as unknown as ActionContext;
  const place = async () => {
    const batch = await readBatchRow(world.ledger, { fileId: file.file_id, batchNo: 1 });
    return { kind: 'batch' as const, file, batch };
  };
  return { context, place, learn, unlearn };
}

const isHeld = async ({ place }: Awaited<ReturnType<typeof waiting>>) => (await place()).batch.paid_since !== null;
const NOTHING = { actor: ADA.actor, filled: {} };

describe('release', () => {
  it('is done at once where one person may', async () => {
    const story = await waiting(false);
    expect((await release.plan(story.context, await story.place(), NOTHING)).isProposal).toBe(false);
    expect(await isHeld(story)).toBe(true);
    await release.run(story.context, await story.place(), NOTHING, ADA);
    expect(await isHeld(story)).toBe(false);
  });

  it('is proposed where overrides take two, and another person confirms it', async () => {
    const story = await waiting(true);
    expect((await release.plan(story.context, await story.place(), NOTHING)).isProposal).toBe(true);
    const { json } = await release.run(story.context, await story.place(), NOTHING, ADA);
    expect(await isHeld(story)).toBe(true);
    await confirmProposal(world.ledger, json['proposalNo'] as number, 'operator:bob');
    expect(await isHeld(story)).toBe(false);
  });

  it('of a proposal is void when more has become known', async () => {
    const story = await waiting(true);
    const { json } = await release.run(story.context, await story.place(), NOTHING, ADA);
    world.clock.set(new Date(world.clock.now().getTime() + 1_000).toISOString());
    await story.unlearn();
    await story.learn();
    const confirmed = confirmProposal(world.ledger, json['proposalNo'] as number, 'operator:bob');
    await expect(confirmed).rejects.toMatchObject({ code: 'PROPOSAL_VOID' });
    expect(await isHeld(story)).toBe(true);
  });
});
