import { describe, expect, it } from 'vitest';
import {
  acknowledgeForgotten,
  ALL_ACCOUNTS,
  lockForSend,
  lockForStop,
  pauseAccount,
  resumeAccount,
} from '../../../src/ledger/account/pause-account.ts';
import { prepareBatch, type Prepared, stopAccount } from '../../../src/ledger/batch/prepare-batch.ts';
import { sendBatch } from '../../../src/ledger/batch/send-batch.ts';
import { findSendable } from '../../support/due-work.ts';
import { isMoving } from '../../../src/ledger/overview/overview.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { OF_THIS_DATABASE } from '../../support/force-sql.ts';
import { keyOf, LEASE_MS, openTestLedger, START } from '../../support/ledger-world.ts';
import { forget } from '../support/put-rows.ts';
import { transact, type Transaction } from '../../../src/ledger/engine/transaction.ts';
import { readForgottenSends } from '../../../src/ledger/account/read-holds.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const because = { actor: 'operator:ada', reason: 'amounts look wrong' };
const CALL = { host: 'service.test', requestBytes: 1_000 };

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
    expect(await prepareBatch(world.ledger, { fileId: paused.file_id, batchNo: 1 }, LEASE_MS)).toBeUndefined();
    expect(await findSendable(world.ledger, other.account)).toHaveLength(1);
    expect(await prepareBatch(world.ledger, { fileId: other.file_id, batchNo: 1 }, LEASE_MS)).toBeDefined();
    await resumeAccount(world.ledger, paused.account, { ...because, reason: 'they are right' });
    expect(await prepareBatch(world.ledger, { fileId: paused.file_id, batchNo: 1 }, LEASE_MS)).toBeDefined();
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
    const before = await world.prepared();
    await pauseAccount(world.ledger, ALL_ACCOUNTS, because);
    const after = await world.accepted();
    expect(await findSendable(world.ledger)).toEqual([]);
    expect(await sendBatch(world.ledger, before, CALL)).toBe(false);
    expect(await prepareBatch(world.ledger, { fileId: after.file_id, batchNo: 1 }, LEASE_MS)).toBeUndefined();
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
    const batch = await world.prepared();
    const blocker = await holdBatch(batch.file_id);
    try {
      const sending = sendBatch(world.ledger, batch, CALL);
      await waitFor(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE batch%'`,
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
    const batches: Prepared[] = [];
    for (let n = 0; n < 24; n += 1) batches.push(await world.prepared());
    const meetings = batches.map(async (batch) => {
      const sending = sendBatch(world.ledger, batch, CALL);
      const pausing = pauseAccount(world.ledger, batch.account, because).then(() => attempts(batch.account));
      const [wasSent, seenByThen] = await Promise.all([sending, pausing]);
      expect(await attempts(batch.account)).toBe(seenByThen);
      return wasSent === (seenByThen === 1);
    });
    expect(await Promise.all(meetings)).toEqual(batches.map(() => true));
  });

  it('of all accounts at once lets no send of any begin after it has returned', async () => {
    const batches: Prepared[] = [];
    for (let n = 0; n < 24; n += 1) batches.push(await world.prepared());
    const files = batches.map((batch) => batch.file_id);
    const begun = async () =>
      (await world.ledger.pool.query('SELECT 1 FROM attempt WHERE file_id = ANY ($1)', [files])).rowCount;
    const sends = batches.slice(0, 12).map((batch) => sendBatch(world.ledger, batch, CALL));
    const pausing = pauseAccount(world.ledger, ALL_ACCOUNTS, because).then(begun);
    sends.push(...batches.slice(12).map((batch) => sendBatch(world.ledger, batch, CALL)));
    const [seenByThen, ...sent] = await Promise.all([pausing, ...sends]);
    expect(await begun()).toBe(seenByThen);
    expect(sent.filter(Boolean)).toHaveLength(seenByThen!);
    // The pause also holds in a process started later.
    const another = await world.openAgain();
    const late = await world.accepted();
    expect(await prepareBatch(another, { fileId: late.file_id, batchNo: 1 }, LEASE_MS)).toBeUndefined();
    await resumeAccount(world.ledger, ALL_ACCOUNTS, because);
    expect(await prepareBatch(another, { fileId: late.file_id, batchNo: 1 }, LEASE_MS)).toBeDefined();
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

describe('lockForSend', () => {
  it('is held side by side', async () => {
    const first = await holding(lockForSend);
    const second = await holding(lockForSend);
    expect(await waiting()).toBe(0);
    await first.approveOrPropose();
    await second.approveOrPropose();
  });
});

describe('lockForStop', () => {
  it.each([
    ['a send', lockForSend, lockForStop],
    ['another stop', lockForStop, lockForStop],
  ] as const)('waits for %s', async (_what, first, second) => {
    const held = await holding(first);
    const later = holding(second);
    await expect.poll(waiting, { interval: 10 }).toBe(1);
    await held.approveOrPropose();
    await (await later).approveOrPropose();
  });

  it('holds up a send', async () => {
    const stop = await holding(lockForStop);
    const send = holding(lockForSend);
    await expect.poll(waiting, { interval: 10 }).toBe(1);
    await stop.approveOrPropose();
    await (await send).approveOrPropose();
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
