import { reconcileBatch } from '../../support/end-batches.ts';
import { describe, expect, it } from 'vitest';
import type { BatchState, SentOutcome } from '../../../schemas/lifecycle.ts';
import { findSendable } from '../../support/due-work.ts';
import { findApprovedTwice } from '../../../src/ledger/duplicates/ask-again.ts';
import { acknowledgeTwice } from '../../../src/ledger/duplicates/decide-double-charges.ts';
import { readDoublesOf, readPaidTwice } from '../../../src/ledger/duplicates/read-double-charges.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { approveFile } from '../../../src/ledger/file/release-held.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { becomes, putFile } from './support/same-payments.ts';

/** The question whether a payment was charged, asked again: when a held file is approved, and when a day is closed. */

const world = openedForTests(openTestLedger);

const because = { actor: 'operator:ada', reason: 'looked at' };
const FROM = new Date(Date.parse(START) - 3_600_000);
const UNTIL = new Date(Date.parse(START) + 3_600_000);

let made = 0;
const newAccount = () => `again-${(made += 1)}`;

const keyOf = ({ file_id: fileId }: FileRow, batchNo = 1) => ({ fileId, batchNo });

async function reconcile(file: FileRow, outcome: SentOutcome): Promise<void> {
  await world.putBatch(keyOf(file), 'result_in');
  await reconcileBatch(world.ledger, keyOf(file), file.file_no, [becomes(2, outcome)], {});
}

describe('the approval of a held file', () => {
  it.each<[BatchState, boolean]>([
    ['ready', false],
    ['sending', true],
    ['submitted', true],
    ['unknown', true],
  ])('keeps the batch whose payment a later file has, where that is %s: %s', async (state, isKept) => {
    const account = newAccount();
    const held = await putFile(world, { account, held: true });
    const later = await putFile(world, { account, payments: [2] });
    await world.putBatch(keyOf(later), state);
    await approveFile(world.ledger, held.file_id, because);
    const [pair] = await readDoublesOf(world.ledger.pool, keyOf(held));
    expect(pair !== undefined).toBe(isKept);
    if (pair) expect(pair).toMatchObject({ row: { line: 2 }, other: { fileId: later.file_id, state } });
  });

  it('lets the rest go, and says what was charged', async () => {
    const account = newAccount();
    const held = await putFile(world, { account, held: true });
    const later = await putFile(world, { account, payments: [2] });
    await reconcile(later, 'approved');
    await approveFile(world.ledger, held.file_id, because);
    expect(await findSendable(world.ledger, account)).toEqual([keyOf(held, 2)]);
    expect(await readDoublesOf(world.ledger.pool, { fileId: held.file_id })).toMatchObject([
      { row: { batchNo: 1, line: 2 }, other: { fileId: later.file_id, outcome: 'approved' }, isTwice: false },
    ]);
  });

  it('is not in the way of a file whose payments were declined since, or that stands alone', async () => {
    const account = newAccount();
    const held = await putFile(world, { account, held: true });
    const later = await putFile(world, { account, payments: [2] });
    await reconcile(later, 'declined');
    await approveFile(world.ledger, held.file_id, because);
    expect(await readDoublesOf(world.ledger.pool, { fileId: held.file_id })).toEqual([]);
  });
});

describe('findApprovedTwice', () => {
  /** Two files with one payment, both paid; nothing held the second. */
  async function paidTwice(first: SentOutcome = 'approved', second: SentOutcome = 'approved') {
    const account = newAccount();
    const one = await putFile(world, { account, payments: [2] });
    const two = await putFile(world, { account, payments: [2], held: true });
    await reconcile(one, first);
    await world.putFile(two.file_id, 'held');
    await approveFile(world.ledger, two.file_id, because);
    await reconcile(two, second);
    return { account, one, two };
  }

  it.each<[SentOutcome, SentOutcome, number]>([
    ['approved', 'approved', 1],
    ['approved', 'accepted_pending', 1],
    ['approved', 'declined', 0],
    ['declined', 'approved', 0],
    ['unknown', 'approved', 0],
  ])('of a payment that was %s and %s finds %s', async (first, second, found) => {
    const { account } = await paidTwice(first, second);
    expect(await findApprovedTwice(world.ledger, account, FROM, UNTIL)).toBe(found);
    expect(await readPaidTwice(world.ledger, { account })).toHaveLength(found);
  });

  it('names who approved it, once, and leaves what a person has looked at', async () => {
    const { account, one, two } = await paidTwice();
    expect(await findApprovedTwice(world.ledger, account, FROM, UNTIL)).toBe(1);
    expect(await findApprovedTwice(world.ledger, account, FROM, UNTIL)).toBe(0);
    expect(await readPaidTwice(world.ledger, { account })).toMatchObject([
      { row: { fileId: two.file_id, approvedBy: 'operator:ada' }, other: { fileId: one.file_id, approvedBy: null } },
    ]);
    await transact(world.ledger, (tx) => acknowledgeTwice(tx, keyOf(two), because));
    expect(await findApprovedTwice(world.ledger, account, FROM, UNTIL)).toBe(0);
    expect(await readPaidTwice(world.ledger, { account })).toEqual([]);
  });

  it('looks at rows of the period only, and of its account', async () => {
    const { account } = await paidTwice();
    expect(await findApprovedTwice(world.ledger, account, UNTIL, new Date(UNTIL.getTime() + 1))).toBe(0);
    expect(await findApprovedTwice(world.ledger, newAccount(), FROM, UNTIL)).toBe(0);
  });
});
