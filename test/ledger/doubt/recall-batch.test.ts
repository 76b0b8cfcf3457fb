import { describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { cancelBatch } from '../../../src/ledger/file/cancel-file.ts';
import { acknowledgeForgotten, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { findSendable } from '../../support/due-work.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { readForgottenSends } from '../../../src/ledger/account/read-holds.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import type { JournalEntry } from '../../../src/ledger/admission/send-journal.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { forget } from '../support/put-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { declareCall, declareNow } from '../../support/calls.ts';

const world = openedForTests(openTestLedger);

const because = { actor: 'operator:ada', reason: 'looked at' };
const RECALLED: readonly BatchState[] = ['ready', 'refused', 'unknown'];
const states = Object.keys(BATCH_STATES) as BatchState[];

function callOf(batch: BatchRow, more: Partial<JournalEntry> = {}): Partial<JournalEntry> {
  const { file_id: fileId, batch_no: batchNo, account, body_sha256: sha256 } = batch;
  return { fileId, batchNo, account, sha256, ...more };
}

async function attemptsOf(batch: BatchRow) {
  const { rows } = await world.ledger.pool.query(
    'SELECT attempt, verdict, started_at, evidence FROM attempt WHERE file_id = $1 ORDER BY attempt',
    [batch.file_id],
  );
  return rows;
}

describe('recallForgotten', () => {
  it.each(RECALLED)('puts a batch that is %s in doubt, with the attempt that was forgotten', async (state) => {
    const batch = await world.batchIn(state);
    const done = await forget(world.ledger, callOf(batch, { attempt: 2 }));
    expect(done).toEqual([
      {
        account: batch.account,
        reason: `the send journal knows 1 call that the ledger does not, the first at ${START}`,
        recalled: [keyOf(batch)],
        forgotten: [],
      },
    ]);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({
      state: 'unknown',
      attempt: 2,
      token: null,
      worker: null,
    });
    expect(await attemptsOf(batch)).toEqual([
      {
        attempt: 2,
        verdict: 'unknown',
        started_at: new Date(START),
        evidence: { source: 'send journal', attempt: 2, at: START, sha256: batch.body_sha256 },
      },
    ]);
    expect((await readFileRow(world.ledger, batch.file_id)).state).toBe(
      state === 'unknown' ? 'accepted' : 'in_progress',
    );
  });

  const otherStates = states.filter((state) => !RECALLED.includes(state));
  it.each(otherStates)('leaves a batch that is %s as it is, and keeps the call for a person', async (state) => {
    const batch = await world.batchIn(state);
    const before = await readBatchRow(world.ledger, keyOf(batch));
    const [done] = await forget(world.ledger, callOf(batch, { attempt: 2 }));
    expect(done).toMatchObject({ recalled: [], forgotten: [{ fileId: batch.file_id, attempt: 2 }] });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(before);
    expect(await readForgottenSends(world.ledger, batch.account)).toMatchObject([
      { fileId: batch.file_id, batchNo: 1, attempt: 2, batchState: state, acknowledgedAt: null },
    ]);
  });

  it('keeps calls of a file that the ledger does not know, and stops their account', async () => {
    await forget(world.ledger, { account: 'nobody', fileId: 'bbbbbbbbbbbbbbbb', batchNo: 4, sha256: 'ab' });
    expect(await readForgottenSends(world.ledger, 'nobody')).toMatchObject([
      { fileId: 'bbbbbbbbbbbbbbbb', batchNo: 4, attempt: 1, sha256: 'ab', batchState: null },
    ]);
    const { rows } = await world.ledger.pool.query(`SELECT kind, actor FROM account_stop WHERE account = 'nobody'`);
    expect(rows).toEqual([{ kind: 'journal', actor: 'worker:sweep' }]);
  });

  it('finds nothing again, whether the calls were recalled or kept, also after a person has looked', async () => {
    const batch = await world.batchIn('ready');
    const calls = [callOf(batch), { account: batch.account, fileId: 'cccccccccccccccc' }];
    expect(await forget(world.ledger, ...calls)).toHaveLength(1);
    expect(await forget(world.ledger, ...calls)).toEqual([]);
    await acknowledgeForgotten(world.ledger, batch.account, because);
    expect(await resumeAccount(world.ledger, batch.account, because)).toEqual(['journal']);
    expect(await forget(world.ledger, ...calls)).toEqual([]);
  });

  it('keeps every call of a batch that was tried several times, and counts on from the last', async () => {
    const batch = await world.batchIn('ready');
    await forget(world.ledger, callOf(batch), callOf(batch, { attempt: 3 }), callOf(batch, { attempt: 2 }));
    expect((await attemptsOf(batch)).map((row) => row.attempt)).toEqual([1, 2, 3]);
    expect((await readBatchRow(world.ledger, keyOf(batch))).attempt).toBe(3);
    const links = (await world.links(batch.file_id)).filter((link) => link.move.startsWith('recall'));
    expect(links.map((link) => link.move)).toEqual(['recall', 'recall-attempt', 'recall-attempt']);
  });

  it('takes a batch from a worker that is about to send it, which then cannot', async () => {
    const batch = await world.call();
    await forget(world.ledger, callOf(batch));
    expect(await declareCall(world.ledger, batch)).toBe(false);
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('unknown');
  });

  it('holds the account after a resume, until the batch in doubt has its resolution', async () => {
    const file = await world.accepted({ batches: 2 });
    const first = await readBatchRow(world.ledger, { fileId: file.file_id, batchNo: 1 });
    await forget(world.ledger, callOf(first));
    await resumeAccount(world.ledger, file.account, because);
    expect(await findSendable(world.ledger, file.account)).toEqual([]);
    expect(await declareNow(world.ledger, { fileId: file.file_id, batchNo: 2 })).toBeUndefined();
  });

  it('bars the bytes of a call that no batch can answer for, for ever, and lets the others pass', async () => {
    const file = await world.accepted({ batches: 2 });
    const [first, second] = [1, 2].map((batchNo) => ({ fileId: file.file_id, batchNo }));
    const { body_sha256: sha256 } = await readBatchRow(world.ledger, first!);
    await forget(world.ledger, { account: file.account, fileId: 'dddddddddddddddd', sha256 });
    await acknowledgeForgotten(world.ledger, file.account, because);
    await resumeAccount(world.ledger, file.account, because);
    // Nothing of a file leaves before it was compared with the call.
    expect(await findSendable(world.ledger, file.account)).toEqual([]);
    await world.force('UPDATE file SET compared_to = newest_forgotten(merchant_no) WHERE file_id = $1', [file.file_id]);
    expect(await declareNow(world.ledger, first!)).toBeUndefined();
    expect(await findSendable(world.ledger, file.account)).toEqual([second]);
    const taken = await declareNow(world.ledger, second!);
    expect(taken?.batch_no).toBe(2);
    await cancelBatch(world.ledger, first!, because);
    expect((await readBatchRow(world.ledger, first!)).state).toBe('cancelled');
  });

  it('bars a file that the older ledger reads once more, also when its batches are cut otherwise now', async () => {
    const { file_id: fileId, account } = await world.claimed();
    await forget(world.ledger, { account, fileId, sha256: 'of other bytes' });
    await world.force(`UPDATE file SET state = 'accepted' WHERE file_id = $1`, [fileId]);
    await world.force(
      `INSERT INTO batch (file_id, batch_no, account, merchant_no, operation, state, state_at, rows, cents, body_sha256, first_line, last_line)
       VALUES ($1, 1, $2, merchant_of($2), 'ach-charge', 'ready', now(), 1, 100, 'of these bytes', 2, 2)`,
      [fileId, account],
    );
    await acknowledgeForgotten(world.ledger, account, because);
    await resumeAccount(world.ledger, account, because);
    expect(await findSendable(world.ledger, account)).toEqual([]);
    expect(await declareNow(world.ledger, { fileId, batchNo: 1 })).toBeUndefined();
  });

  it('bars them on their own account only', async () => {
    const batch = await world.batchIn('ready');
    await forget(world.ledger, { account: 'elsewhere', sha256: batch.body_sha256 });
    expect(await declareNow(world.ledger, keyOf(batch))).toBeDefined();
  });

  it('writes the same once when two processes compare at the same moment', async () => {
    const batch = await world.batchIn('ready');
    const calls = [callOf(batch), { account: batch.account, fileId: 'eeeeeeeeeeeeeeee', sha256: 'ef' }];
    await Promise.all([forget(world.ledger, ...calls), forget(world.ledger, ...calls)]);
    expect(await attemptsOf(batch)).toHaveLength(1);
    expect(await readForgottenSends(world.ledger, batch.account)).toHaveLength(1);
    const moves = (await world.links(batch.file_id)).map((link) => link.move);
    expect(moves.filter((move) => move === 'recall')).toHaveLength(1);
  });

  it('waits for a send that is under way, so that a stop is never answered before the call that it must stop', async () => {
    const batch = await world.batchIn('ready');
    let end = () => {};
    let begun = () => {};
    const isBegun = new Promise<void>((tell) => (begun = tell));
    const sending = transact(world.ledger, async (tx) => {
      // As commit_send does.
      await tx.client.query('SELECT pg_advisory_xact_lock_shared(7003, 0)');
      begun();
      await new Promise<void>((tell) => (end = tell));
    });
    await isBegun;
    let isDone = false;
    const recalled = forget(world.ledger, callOf(batch)).then(() => (isDone = true));
    // It either waits at the lock or has passed it.
    await expect.poll(async () => isDone || (await waitsForStop())).toBe(true);
    expect(isDone).toBe(false);
    end();
    await Promise.all([sending, recalled]);
  });
});

async function waitsForStop(): Promise<boolean> {
  const { rowCount } = await world.ledger.pool.query(
    `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rowCount !== 0;
}
