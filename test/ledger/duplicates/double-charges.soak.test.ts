import { reconcileBatch } from '../../support/end-batches.ts';
import { describe, expect, it } from 'vitest';
import type { BatchState, SentOutcome } from '../../../schemas/lifecycle.ts';
import { retryRefused } from '../../../src/ledger/batch/retry-refused.ts';
import { findSendable } from '../../support/due-work.ts';
import { learnCharged } from '../../../src/ledger/duplicates/double-charges.ts';
import { acknowledgeTwice, releaseCharged } from '../../../src/ledger/duplicates/decide-double-charges.ts';
import { readDoublesOf, readPaidBatches, readPaidTwice } from '../../../src/ledger/duplicates/read-double-charges.ts';
import {
  assignBatchId,
  declareNotReceived,
  mapBatch,
  settleBatch,
} from '../../../src/ledger/doubt/resolution-actions.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { type Transaction, transact } from '../../../src/ledger/engine/transaction.ts';
import { cancelBatch } from '../../../src/ledger/file/cancel-file.ts';
import { approveFile } from '../../../src/ledger/file/release-held.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { compareAll, openTestLedger, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { forget } from '../support/put-rows.ts';
import { becomes, putFile } from './support/same-payments.ts';
import { callFor, declareCall, declareNow } from '../../support/calls.ts';

/** What is charged, or may be, after another file with the same payment was checked and before that file is sent. */

const world = openedForTests(openTestLedger);

const because = { actor: 'operator:ada', reason: 'looked at' };
const BY = { actor: 'worker:poll', reason: 'the service says something else', source: 'asked again' };

let made = 0;
const newAccount = () => `twice-${(made += 1)}`;

const keyOf = ({ file_id: fileId }: FileRow, batchNo = 1) => ({ fileId, batchNo });

/** Puts the first batch into this state, past the moves. */
const put = (file: FileRow, state: BatchState) => world.putBatch(keyOf(file), state);

async function reconcile(file: FileRow, outcome: SentOutcome, code: number | null = null): Promise<void> {
  await put(file, 'result_in');
  await reconcileBatch(world.ledger, keyOf(file), file.file_no, [becomes(2, outcome, code)], {});
}

const correct = (file: FileRow, outcome: SentOutcome, by = BY) =>
  transact(world.ledger, (tx) => changeOutcomes(tx, keyOf(file), [becomes(2, outcome)], by));

const inOne = <Result>(work: (tx: Transaction) => Promise<Result>) => transact(world.ledger, work);

/** A way in which a payment of an earlier file becomes charged or doubtful late: what was before, and what happens. */
type Way = { before: (earlier: FileRow) => Promise<unknown>; learn: (earlier: FileRow) => Promise<unknown> };

const WAYS: Readonly<Record<string, Way>> = {
  'a declined row is approved by the recheck': {
    before: (earlier) => reconcile(earlier, 'declined', 5),
    learn: (earlier) => correct(earlier, 'approved'),
  },
  'a declined row becomes doubtful': {
    before: (earlier) => reconcile(earlier, 'declined', 5),
    learn: (earlier) => correct(earlier, 'unknown'),
  },
  'a bank return is taken back': {
    before: async (earlier) => {
      await reconcile(earlier, 'accepted_pending');
      await correct(earlier, 'declined');
    },
    learn: (earlier) => correct(earlier, 'accepted_pending'),
  },
  'a row that reports lacked is in a newer one': {
    before: (earlier) => reconcile(earlier, 'not_charged'),
    learn: (earlier) => correct(earlier, 'approved'),
  },
  'a doubtful row was charged': {
    before: (earlier) => reconcile(earlier, 'unknown'),
    learn: (earlier) => correct(earlier, 'approved'),
  },
  'a batch in doubt is settled': {
    before: (earlier) => put(earlier, 'unknown'),
    learn: (earlier) => inOne((tx) => settleBatch(tx, keyOf(earlier), [becomes(2, 'approved')], 'settled', because)),
  },
  'a batch in doubt is closed without an answer': {
    before: (earlier) => put(earlier, 'unknown'),
    learn: (earlier) => inOne((tx) => settleBatch(tx, keyOf(earlier), [becomes(2, 'unknown')], 'in_doubt', because)),
  },
  'a result that did not match is mapped': {
    before: (earlier) => put(earlier, 'exception'),
    learn: (earlier) => inOne((tx) => mapBatch(tx, keyOf(earlier), [becomes(2, 'approved')], 'settled', because)),
  },
  'a batch in doubt gets its batch id': {
    before: (earlier) => put(earlier, 'unknown'),
    learn: (earlier) => inOne((tx) => assignBatchId(tx, keyOf(earlier), `id-${earlier.file_id}`, because)),
  },
  'the send journal has a call of a cancelled batch': {
    before: (earlier) => put(earlier, 'cancelled'),
    learn: (earlier) => forget(world.ledger, { ...keyOf(earlier), account: earlier.account }),
  },
  'the send journal has another call of a declined batch': {
    before: (earlier) => reconcile(earlier, 'declined', 5),
    learn: (earlier) => forget(world.ledger, { ...keyOf(earlier), account: earlier.account, attempt: 2 }),
  },
  'the send journal has a call of a batch that the ledger never cut': {
    before: (earlier) => put(earlier, 'cancelled'),
    learn: (earlier) => forget(world.ledger, { ...keyOf(earlier, 9), account: earlier.account }),
  },
  'the send journal has a call of a refused batch': {
    before: (earlier) => put(earlier, 'refused'),
    learn: (earlier) => forget(world.ledger, { ...keyOf(earlier), account: earlier.account }),
  },
};

/** A way in which the later file waits, and what lets it go. */
type Wait = { held?: boolean; wait: (later: FileRow) => Promise<unknown>; go: (later: FileRow) => Promise<unknown> };

const nothing = async () => {};

const WAITS: Readonly<Record<string, Wait>> = {
  'is next': { wait: nothing, go: nothing },
  'waits for approval': {
    held: true,
    wait: nothing,
    go: (later) => approveFile(world.ledger, later.file_id, because),
  },
  'waits in a paused account': {
    wait: (later) => pauseAccount(world.ledger, later.account, because),
    go: nothing,
  },
  'was refused': {
    wait: (later) => put(later, 'refused'),
    go: (later) => retryRefused(world.ledger, keyOf(later), because),
  },
  'is in doubt': {
    wait: (later) => put(later, 'unknown'),
    go: (later) => inOne((tx) => declareNotReceived(tx, keyOf(later), 0, because)),
  },
  'waits for the next try': {
    wait: async (later) => {
      const at = new Date(world.clock.now().getTime() + 1_000);
      await world.force('UPDATE batch SET not_before = $2 WHERE file_id = $1', [later.file_id, at]);
    },
    go: async () => world.clock.set(new Date(world.clock.now().getTime() + 2_000).toISOString()),
  },
};

const EVERY = Object.entries(WAYS).flatMap(([how, way]) =>
  Object.entries(WAITS).map(([where, wait]) => [how, where, way, wait] as const),
);

/** Ends what else would keep the account from sending: the stop of a recall, and the earlier file. */
async function clearAccount(account: string, earlier: FileRow): Promise<void> {
  await world.force('UPDATE forgotten_send SET acknowledged_at = now() WHERE account = $1', [account]);
  await resumeAccount(world.ledger, account, because);
  await world.force(
    `UPDATE batch SET state = 'submitted' WHERE file_id = $1 AND state NOT IN ('reconciled', 'cancelled')`,
    [earlier.file_id],
  );
}

describe('learnCharged', () => {
  it.each(EVERY)(
    'when %s, holds the same payment of a file that %s, and nothing else',
    async (_how, _where, way, wait) => {
      const account = newAccount();
      const earlier = await putFile(world, { account, payments: [2] });
      await way.before(earlier);
      const later = await putFile(world, { account, held: wait.held ?? false });
      await wait.wait(later);
      await way.learn(earlier);
      await compareAll(world);
      await clearAccount(account, earlier);
      await wait.go(later);
      expect((await readBatchRow(world.ledger, keyOf(later))).state).toBe('ready');
      expect(await declareNow(world.ledger, keyOf(later))).toBeUndefined();
      expect(await readPaidBatches(world.ledger)).toContainEqual(
        expect.objectContaining({ fileId: later.file_id, batchNo: 1, matches: 1, since: expect.any(Date) }),
      );
      // The rest of the file goes on.
      expect(await findSendable(world.ledger, account)).toEqual([keyOf(later, 2)]);
      expect(await declareNow(world.ledger, keyOf(later, 2))).toBeDefined();
    },
  );

  it('says what matches what, since when, and from where', async () => {
    const account = newAccount();
    const earlier = await putFile(world, { account, payments: [2] });
    await reconcile(earlier, 'declined', 5);
    const later = await putFile(world, { account });
    await correct(earlier, 'approved');
    const [pair, ...others] = await readDoublesOf(world.ledger.pool, keyOf(later));
    expect(others).toEqual([]);
    expect(pair).toMatchObject({
      account,
      row: { fileId: later.file_id, batchNo: 1, line: 2, state: 'ready', outcome: null },
      other: {
        fileId: earlier.file_id,
        batchNo: 1,
        line: 2,
        invoice: 'INV-2',
        cents: 200,
        state: 'reconciled',
        outcome: 'approved',
        since: world.clock.now(),
      },
      isSame: true,
      isTwice: false,
      source: 'asked again',
      foundAt: world.clock.now(),
    });
    expect((await world.links(later.file_id)).at(-1)).toEqual({
      actor: BY.actor,
      batch_no: 1,
      move: 'hold-charged',
      from_state: null,
      to_state: null,
      reason: `1 row of it may have been charged already, in file ${earlier.file_id}: asked again`,
      evidence: {
        chargedIn: earlier.file_id,
        rows: 1,
        pairs: [{ line: 2, chargedLine: 2 }],
        source: 'asked again',
        state: 'ready',
      },
    });
  });

  it.each<[string, Partial<Parameters<typeof putFile>[1]>, boolean]>([
    ['the payer of which is written in another way', { row: { customerCode: 'c-01' } }, true],
    ['of another payer', { row: { customerCode: 'C2' } }, false],
    ['of another amount', { row: { amountCents: 999 } }, false],
    ['of another invoice', { row: { invoice: 'Z-9' } }, false],
    [
      'from before the days that its folder compares',
      { comparedFrom: new Date(Date.parse(START) + 86_400_000) },
      false,
    ],
    ['within the days that its folder compares', { comparedFrom: new Date(Date.parse(START) - 86_400_000) }, true],
  ])('judges a row %s as intake does', async (_what, plan, isHeld) => {
    const account = newAccount();
    world.clock.set(START);
    const earlier = await putFile(world, { account, payments: [2] });
    await reconcile(earlier, 'declined', 5);
    const later = await putFile(world, { account, ...plan });
    await correct(earlier, 'approved');
    const { paid_since: since } = await readBatchRow(world.ledger, keyOf(later));
    expect(since !== null).toBe(isHeld);
    const [pair] = await readDoublesOf(world.ledger.pool, keyOf(later));
    if (pair) expect(pair.isSame).toBe(plan.row === undefined);
  });

  it.each([
    ['the same payer and amount', {}, true],
    ['another amount', { amountCents: 999 }, false],
    ['another payer', { customerCode: 'C2' }, false],
  ])('compares rows without an invoice with those that wait: %s', async (_what, row, isHeld) => {
    const account = newAccount();
    const earlier = await putFile(world, { account, payments: [2], isBare: true });
    await reconcile(earlier, 'declined', 5);
    const later = await putFile(world, { account, isBare: true, row });
    await correct(earlier, 'approved');
    expect((await readBatchRow(world.ledger, keyOf(later))).paid_since !== null).toBe(isHeld);
  });

  it('leaves other accounts, other rows of its own file, and rows that stay uncharged', async () => {
    const account = newAccount();
    const earlier = await putFile(world, { account, payments: [2] });
    await reconcile(earlier, 'declined', 5);
    const elsewhere = await putFile(world, { account: newAccount() });
    const later = await putFile(world, { account });
    await correct(earlier, 'format_error');
    expect((await readBatchRow(world.ledger, keyOf(later))).paid_since).toBeNull();
    await correct(earlier, 'approved');
    expect((await readBatchRow(world.ledger, keyOf(elsewhere))).paid_since).toBeNull();
    expect((await readBatchRow(world.ledger, keyOf(later, 2))).paid_since).toBeNull();
  });

  it('is no news that the bank has paid what it had', async () => {
    const account = newAccount();
    const earlier = await putFile(world, { account, payments: [2] });
    await reconcile(earlier, 'accepted_pending');
    const later = await putFile(world, { account });
    await correct(earlier, 'approved');
    expect(await readDoublesOf(world.ledger.pool, keyOf(later))).toEqual([]);
  });
});

describe('releaseCharged', () => {
  it('lets the batch go with a reason, until more becomes known', async () => {
    const account = newAccount();
    const earlier = await putFile(world, { account, payments: [2] });
    await reconcile(earlier, 'declined', 5);
    const later = await putFile(world, { account, payments: [2] });
    await correct(earlier, 'unknown');
    await inOne((tx) => releaseCharged(tx, keyOf(later), because));
    expect(await readDoublesOf(world.ledger.pool, keyOf(later))).toMatchObject([
      { releasedBy: because.actor, releaseReason: because.reason, releasedAt: world.clock.now() },
    ]);
    expect(await findSendable(world.ledger, account)).toEqual([keyOf(later)]);
    expect((await world.links(later.file_id)).at(-1)).toMatchObject({
      ...because,
      move: 'release-charged',
      batch_no: 1,
    });
    await correct(earlier, 'approved');
    expect(await findSendable(world.ledger, account)).toEqual([]);
    await cancelBatch(world.ledger, keyOf(later), because);
    expect((await readBatchRow(world.ledger, keyOf(later))).state).toBe('cancelled');
  });

  it('refuses a batch that does not wait for that', async () => {
    const file = await putFile(world, { account: newAccount() });
    const release = inOne((tx) => releaseCharged(tx, keyOf(file), because));
    await expect(release).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});

describe('a payment perhaps made twice', () => {
  const SENT: readonly BatchState[] = ['sending', 'unknown', 'submitted', 'result_in', 'exception'];
  it.each(SENT)('is one whose second batch was %s when the charge became known', async (state) => {
    const account = newAccount();
    const earlier = await putFile(world, { account, payments: [2] });
    await reconcile(earlier, 'declined', 5);
    const later = await putFile(world, { account, payments: [2] });
    await put(later, state);
    await correct(earlier, 'approved');
    expect(await readPaidTwice(world.ledger, { account })).toMatchObject([
      { row: { fileId: later.file_id, state }, other: { fileId: earlier.file_id, outcome: 'approved' }, isTwice: true },
    ]);
    expect((await world.links(later.file_id)).at(-1)).toMatchObject({ move: 'find-double' });
  });

  it.each<[SentOutcome, boolean]>([
    ['approved', true],
    ['accepted_pending', true],
    ['duplicate', true],
    ['unknown', true],
    ['declined', false],
    ['format_error', false],
    ['not_charged', false],
  ])('whose second row is %s counts as twice: %s', async (outcome, isTwice) => {
    const account = newAccount();
    const earlier = await putFile(world, { account, payments: [2] });
    await reconcile(earlier, 'declined', 5);
    const later = await putFile(world, { account, payments: [2] });
    await put(later, 'submitted');
    await correct(earlier, 'approved');
    await reconcile(later, outcome);
    expect(await readPaidTwice(world.ledger, { account })).toHaveLength(isTwice ? 1 : 0);
  });

  it('leaves the list when a person has looked at it, and stays findable', async () => {
    const account = newAccount();
    const earlier = await putFile(world, { account, payments: [2] });
    await reconcile(earlier, 'declined', 5);
    const later = await putFile(world, { account, payments: [2] });
    await reconcile(later, 'approved');
    await correct(earlier, 'approved');
    expect(await inOne((tx) => acknowledgeTwice(tx, keyOf(later), because))).toBe(1);
    expect(await readPaidTwice(world.ledger, { account })).toEqual([]);
    const all = [{ acknowledgedBy: because.actor, acknowledgeReason: because.reason, isTwice: true }];
    expect(await readPaidTwice(world.ledger, { account, acknowledged: true })).toMatchObject(all);
    expect((await world.links(later.file_id)).at(-1)).toMatchObject({ ...because, move: 'acknowledge-twice' });
    const again = inOne((tx) => acknowledgeTwice(tx, keyOf(later), because));
    await expect(again).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});

describe('the race between a send and what becomes known', () => {
  async function race() {
    const account = newAccount();
    const earlier = await putFile(world, { account, payments: [2] });
    await reconcile(earlier, 'declined', 5);
    const later = await putFile(world, { account, payments: [2] });
    const batch = await callFor(world.ledger, keyOf(later));
    const send = () => declareCall(world.ledger, batch);
    const learned = {
      account,
      fileNo: earlier.file_no,
      fileId: earlier.file_id,
      lines: [2],
      source: 'x',
      actor: 'worker:x',
    };
    return { account, later, send, learned };
  }

  /** Waits until so many sessions wait for a lock. */
  async function waitForLock(): Promise<void> {
    for (;;) {
      const { rows } = await world.ledger.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if (rows.length > 0) return;
    }
  }

  it('is won by what became known first: the send that waits for it sees it, whatever it had read before', async () => {
    const { later, send, learned } = await race();
    let sent: Promise<boolean> | undefined;
    await inOne(async (tx) => {
      await learnCharged(tx, learned);
      sent = send();
      await waitForLock();
    });
    expect(await sent).toBe(false);
    expect((await readBatchRow(world.ledger, keyOf(later))).state).toBe('ready');
  });

  it('is won by the send that came first: what becomes known waits for it, and says that it is too late', async () => {
    const { account, later, learned } = await race();
    const client = await world.ledger.pool.connect();
    await client.query('BEGIN');
    await client.query(`UPDATE batch SET state = 'sending' WHERE file_id = $1`, [later.file_id]);
    const learning = inOne((tx) => learnCharged(tx, learned));
    await waitForLock();
    await client.query('COMMIT');
    client.release();
    await learning;
    expect((await world.links(later.file_id)).at(-1)).toMatchObject({
      move: 'find-double',
      evidence: { state: 'sending' },
    });
    expect(await readPaidTwice(world.ledger, { account })).toHaveLength(0);
  });

  it('of a file that is being decided is settled by the lock of decisions', async () => {
    const { account, learned } = await race();
    await inOne(async (tx) => {
      await learnCharged(tx, learned);
      const { rows } = await world.ledger.pool.query(
        'SELECT pg_try_advisory_xact_lock(7004, merchant_of($1)) AS free',
        [account],
      );
      expect(rows).toEqual([{ free: false }]);
    });
  });

  it('cannot be won past the code: the database refuses to send a batch that waits', async () => {
    const { later, learned } = await race();
    await inOne((tx) => learnCharged(tx, learned));
    const send = world.ledger.pool.query(`UPDATE batch SET state = 'sending' WHERE file_id = $1`, [later.file_id]);
    await expect(send).rejects.toMatchObject({ code: 'PD003' });
  });
});
