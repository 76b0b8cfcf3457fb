import { describe, expect, it } from 'vitest';
import {
  acknowledgeForgotten,
  ALL_ACCOUNTS,
  lockForStop,
  pauseAccount,
  resumeAccount,
} from '../../../src/ledger/account/pause-account.ts';
import { findSendable } from '../../support/due-work.ts';
import { isMoving } from '../../../src/ledger/overview/overview.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { OF_THIS_DATABASE } from '../../support/force-sql.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { forget } from '../support/put-rows.ts';
import { transact, type Transaction } from '../../../src/ledger/engine/transaction.ts';
import { readForgottenSends } from '../../../src/ledger/account/read-holds.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { type Call } from '../../../src/ledger/batch/commit-send.ts';
import { stopAccount } from '../../../src/ledger/account/stop-account.ts';
import { commitSend } from '../../../src/ledger/batch/commit-send.ts';
import { callFor, declareCall, declareNow, INTENT } from '../../support/calls.ts';

const world = openedForTests(openTestLedger);

const because = { actor: 'operator:ada', reason: 'amounts look wrong' };

async function attempts(account: string): Promise<number> {
  const { rows } = await world.ledger.pool.query<{ count: number }>(
    'SELECT count(*) FROM attempt JOIN batch USING (file_id, batch_no) WHERE account = $1',
    [account],
  );
  return rows[0]!.count;
}

describe('pauseAccount', () => {
  it('closes the gate of its account and no other, until it is resumed, with a link for each', async () => {
    const paused = await world.accepted();
    const other = await world.accepted();
    expect(await pauseAccount(world.ledger, paused.account, because)).toBe(true);
    expect(await findSendable(world.ledger, paused.account)).toEqual([]);
    expect(await declareNow(world.ledger, { fileId: paused.file_id, batchNo: 1 })).toBeUndefined();
    expect(await findSendable(world.ledger, other.account)).toHaveLength(1);
    expect(await declareNow(world.ledger, { fileId: other.file_id, batchNo: 1 })).toBeDefined();
    await resumeAccount(world.ledger, paused.account, { ...because, reason: 'they are right' });
    expect(await declareNow(world.ledger, { fileId: paused.file_id, batchNo: 1 })).toBeDefined();
    const { rows } = await world.ledger.pool.query(
      `SELECT actor, move, reason FROM audit WHERE evidence->>'account' = $1 ORDER BY seq`,
      [paused.account],
    );
    expect(rows).toEqual([
      { actor: 'operator:ada', move: 'pause-account', reason: 'amounts look wrong' },
      { actor: 'operator:ada', move: 'resume-account', reason: 'they are right' },
    ]);
  });

  it('keeps the first pause when it is paused again', async () => {
    const { account } = await world.accepted();
    await pauseAccount(world.ledger, account, because);
    expect(await pauseAccount(world.ledger, account, { actor: 'operator:bob', reason: 'me too' })).toBe(false);
    const { rows } = await world.ledger.pool.query('SELECT kind, reason, actor FROM account_stop WHERE account = $1', [
      account,
    ]);
    expect(rows).toEqual([{ kind: 'pause', reason: 'amounts look wrong', actor: 'operator:ada' }]);
  });

  it('stops every account at once, also one that is new after it, and nothing counts as moving', async () => {
    await world.empty();
    const before = await world.call();
    await pauseAccount(world.ledger, ALL_ACCOUNTS, because);
    const after = await world.accepted();
    expect(await findSendable(world.ledger)).toEqual([]);
    expect(await declareCall(world.ledger, before)).toBe(false);
    expect(await declareNow(world.ledger, { fileId: after.file_id, batchNo: 1 })).toBeUndefined();
    await world.putBatch(keyOf(before), 'reconciled');
    await world.ledger.pool.query(`UPDATE file SET state = 'cancelled' WHERE file_id = $1`, [before.file_id]);
    await world.ledger.pool.query(
      `INSERT INTO output (file_id, kind, name, sha256, bytes, rows, written_at)
       SELECT file_id, kind, 'x', 'x', 0, 0, now() FROM file, unnest(ARRAY['ack', 'cancelled']) AS kind`,
    );
    expect(await isMoving(world.ledger)).toBe(false);
    await resumeAccount(world.ledger, ALL_ACCOUNTS, because);
    expect(await findSendable(world.ledger)).toEqual([{ fileId: after.file_id, batchNo: 1 }]);
    expect(await isMoving(world.ledger)).toBe(true);
  });

  it('waits for a send that has begun, which then goes on, and returns after it', async () => {
    const batch = await world.call();
    const blocker = await holdBatch(batch.file_id);
    try {
      const sending = declareCall(world.ledger, batch);
      await waitFor(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%commit_send%'`,
      );
      let isPaused = false;
      const pausing = pauseAccount(world.ledger, batch.account, because).then(() => (isPaused = true));
      await waitFor(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND ${OF_THIS_DATABASE}`);
      expect(isPaused).toBe(false);
      await blocker.approveOrPropose();
      expect(await sending).toBe(true);
      await pausing;
      expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('sending');
    } finally {
      await blocker.approveOrPropose();
    }
  });

  it('lets no send begin after it has returned, however the two meet', async () => {
    const batches: Call[] = [];
    for (let n = 0; n < 24; n += 1) batches.push(await world.call());
    const meetings = batches.map(async (batch) => {
      const sending = declareCall(world.ledger, batch);
      const pausing = pauseAccount(world.ledger, batch.account, because).then(() => attempts(batch.account));
      const [wasSent, seenByThen] = await Promise.all([sending, pausing]);
      expect(await attempts(batch.account)).toBe(seenByThen);
      return wasSent === (seenByThen === 1);
    });
    expect(await Promise.all(meetings)).toEqual(batches.map(() => true));
  });

  it('of all accounts at once lets no send of any begin after it has returned', async () => {
    const batches: Call[] = [];
    for (let n = 0; n < 24; n += 1) batches.push(await world.call());
    const files = batches.map((batch) => batch.file_id);
    const begun = async () =>
      (await world.ledger.pool.query('SELECT 1 FROM attempt WHERE file_id = ANY ($1)', [files])).rowCount;
    const sends = batches.slice(0, 12).map((batch) => declareCall(world.ledger, batch));
    const pausing = pauseAccount(world.ledger, ALL_ACCOUNTS, because).then(begun);
    sends.push(...batches.slice(12).map((batch) => declareCall(world.ledger, batch)));
    const [seenByThen, ...sent] = await Promise.all([pausing, ...sends]);
    expect(await begun()).toBe(seenByThen);
    expect(sent.filter(Boolean)).toHaveLength(seenByThen!);
    // The pause also holds in a process started later.
    const another = await world.openAgain();
    const late = await world.accepted();
    expect(await declareNow(another, { fileId: late.file_id, batchNo: 1 })).toBeUndefined();
    await resumeAccount(world.ledger, ALL_ACCOUNTS, because);
    expect(await declareNow(another, { fileId: late.file_id, batchNo: 1 })).toBeDefined();
  });
});

/** Locks the row of a batch, so that its send has begun and cannot end. */
async function holdBatch(fileId: string): Promise<{ approveOrPropose(): Promise<void> }> {
  const client = await world.ledger.pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM batch WHERE file_id = $1 FOR UPDATE', [fileId]);
  let isHeld = true;
  return {
    approveOrPropose: async () => {
      if (!isHeld) return;
      isHeld = false;
      await client.query('ROLLBACK');
      client.release();
    },
  };
}

async function waitFor(sql: string): Promise<void> {
  await expect.poll(async () => (await world.ledger.pool.query(sql)).rowCount, { interval: 10 }).toBeGreaterThan(0);
}

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

/** Opens a transaction that holds the lock until `approveOrPropose`. */
async function holding(lock: (tx: Transaction) => Promise<void>): Promise<{ approveOrPropose(): Promise<void> }> {
  let approveOrPropose = () => {};
  const told = new Promise<void>((resolve) => (approveOrPropose = resolve));
  let whole: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve) => {
    whole = transact(world.ledger, async (tx) => {
      await lock(tx);
      resolve();
      await told;
    });
  });
  return {
    approveOrPropose: async () => {
      approveOrPropose();
      await whole;
    },
  };
}

async function waiting(): Promise<number> {
  const { rowCount } = await world.ledger.pool.query(
    `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND ${OF_THIS_DATABASE}`,
  );
  return rowCount ?? 0;
}

describe('lockForStop', () => {
  it('waits for another stop', async () => {
    const held = await holding(lockForStop);
    const later = holding(lockForStop);
    await expect.poll(waiting, { interval: 10 }).toBe(1);
    await held.approveOrPropose();
    await (await later).approveOrPropose();
  });

  it('holds up the declaration of a call, which then stays undeclared', async () => {
    const call = await world.call();
    const stop = await holding(async (tx) => {
      await lockForStop(tx);
      await tx.client.query(`INSERT INTO account_stop (account, reason, since) VALUES ($1, 'a stop', now())`, [
        call.account,
      ]);
    });
    const declared = declareCall(world.ledger, call);
    await expect.poll(waiting, { interval: 10 }).toBe(1);
    await stop.approveOrPropose();
    expect(await declared).toBe(false);
  });

  it('holds up no end of a call, and keeps the next one undeclared', async () => {
    const ended = await world.sending({ batches: 2 });
    const next = await callFor(world.ledger, { fileId: ended.file_id, batchNo: 2 });
    const stop = await holding(lockForStop);
    const end = { verdict: 'submitted', batchId: 'held-up', firstPollMs: 0, evidence: {} } as const;
    expect(await commitSend(world.ledger, { end: { call: ended, end }, next: { call: next, intent: INTENT } })).toEqual(
      { ended: 'moved', isDeclared: false },
    );
    await stop.approveOrPropose();
    expect(await declareCall(world.ledger, next)).toBe(true);
  });
});

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
