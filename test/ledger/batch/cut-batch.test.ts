import { beforeAll, describe, expect, it } from 'vitest';
import { cutBatch } from '../support/put-rows.ts';
import type { NewBatch } from '../../../src/ledger/copy/row-tuples.ts';
import { readBatches, readBatchRow, readFileState, readSentRows } from '../../../src/ledger/file/read-file.ts';
import { readSealedPart, readSentBatch, type SealedPart } from '../../../src/ledger/batch/read-sealed-part.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { randomBytes } from 'node:crypto';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { sentTextOf } from '../../reconcile/support/result-rows.ts';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { nextAttempt, retryRefused, withdrawBatch } from '../../../src/ledger/batch/retry-refused.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { endCall } from '../../../src/ledger/batch/commit-send.ts';
import { declareNow } from '../../support/calls.ts';

const world = openedForTests(openTestLedger);

function batchOf(file: FileRow, batchNo = 1): NewBatch {
  return {
    fileId: file.file_id,
    batchNo,
    account: file.account,
    operation: file.operation,
    rows: 500,
    cents: 4_500_000_000_000,
    firstLine: 2,
    lastLine: 510,
    bodySha256: 'ab'.repeat(32),
    sealedBody: Buffer.from([0, 1, 2, 255]),
  };
}

describe('cutBatch', () => {
  it("keeps a batch that is ready, in nobody's hands, with its sealed bytes", async () => {
    const file = await world.claimed();
    await transact(world.ledger, (tx) => cutBatch(tx, batchOf(file)));
    expect(await readBatches(world.ledger, file.file_id)).toEqual([
      {
        file_id: file.file_id,
        batch_no: 1,
        account: file.account,
        merchant_no: file.merchant_no,
        operation: 'ach-charge',
        state: 'ready',
        state_at: new Date(START),
        reason: null,
        attempt: 1,
        rows: 500,
        cents: 4_500_000_000_000,
        first_line: 2,
        last_line: 510,
        body_sha256: 'ab'.repeat(32),
        token: null,
        worker: null,
        lease_until: null,
        not_before: null,
        releases: 0,
        batch_id: null,
        doubt_closed_at: null,
        submitted_at: null,
        polls: 0,
        next_poll_at: null,
        not_known_polls: 0,
        result_at: null,
        result_sha256: null,
        rechecks: 0,
        next_recheck_at: null,
        stale_since: null,
        poll_alarm: null,
        final_at: null,
        paid_since: null,
      },
    ]);
    const key = { fileId: file.file_id, batchNo: 1 };
    expect(await readSealedPart(world.ledger, key, 'body')).toEqual(Buffer.from([0, 1, 2, 255]));
  });

  it('leaves the audit link to the verdict on the file', async () => {
    const file = await world.claimed();
    await transact(world.ledger, (tx) => cutBatch(tx, batchOf(file)));
    expect((await world.links(file.file_id)).map((link) => link.move)).toEqual(['claim']);
  });

  it('never cuts the same batch twice', async () => {
    const file = await world.claimed();
    const twice = transact(world.ledger, async (tx) => {
      await cutBatch(tx, batchOf(file));
      await cutBatch(tx, batchOf(file));
    });
    await expect(twice).rejects.toMatchObject({ code: '23505' });
    expect(await readBatches(world.ledger, file.file_id)).toEqual([]);
  });
});

describe('readSealedPart', () => {
  let key: BatchKey;
  beforeAll(async () => {
    key = { fileId: (await world.batchIn('submitted')).file_id, batchNo: 1 };
  });
  async function keep(part: SealedPart, bytes: Buffer): Promise<void> {
    await world.force('INSERT INTO sealed_part VALUES ($1, $2, $3, $4)', [key.fileId, key.batchNo, part, bytes]);
  }

  it.each([
    ['recheck-1', Buffer.alloc(0)],
    ['recheck-2', Buffer.from([0, 1, 10, 13, 92, 255])],
    ['recheck-3', randomBytes(3_000_000)],
  ] as const)('gives %s as it was kept', async (part, bytes) => {
    await keep(part, bytes);
    expect(bytes.equals(await readSealedPart(world.ledger, key, part))).toBe(true);
  });

  it('says which part of which batch is not there', async () => {
    await expect(readSealedPart(world.ledger, key, 'result')).rejects.toThrow(
      `Cannot find the result of batch 1 of file "${key.fileId}"`,
    );
    await expect(readSealedPart(world.ledger, { fileId: `' OR 'a' = 'a`, batchNo: 1 }, 'body')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('gives its connection back, whatever becomes of the question', async () => {
    const { pool } = world.ledger;
    await Promise.all(Array.from({ length: 30 }, () => readSealedPart(world.ledger, key, 'body')));
    await readSealedPart(world.ledger, key, 'result').catch(() => {});
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  // Other timers come and go meanwhile, but one left by each of a hundred reads would show.
  it('leaves no timer behind that watches over an answer which has come', async () => {
    const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await world.ledger.pool.query('SELECT 1');
    const before = countTimers();
    for (let reading = 0; reading < 100; reading++) await readSealedPart(world.ledger, key, 'body');
    expect(countTimers() - before).toBeLessThan(50);
  });
});

describe('readSentBatch', () => {
  it('has the file and the rows of this batch alone, in their order', async () => {
    const file = await world.accepted({ batches: 3, rowsPerBatch: 3, withheld: 2 });
    for (const batchNo of [1, 2, 3]) {
      const batch = await world.putBatch({ fileId: file.file_id, batchNo }, 'submitted');
      const found = await readSentBatch(world.ledger, batch);
      expect(found.sent).toEqual(sentTextOf(await readSentRows(world.ledger, file.file_no, batch)));
      expect(file).toMatchObject(found.file);
      expect(found.sent.rows).toBe(3);
    }
  });

  it('does not find a batch of no file', async () => {
    const batch = { ...(await world.batchIn('submitted')), file_id: 'aaaaaaaaaaaaaaaa' };
    await expect(readSentBatch(world.ledger, batch)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

const because = { actor: 'operator:ada', reason: 'the password is the new one' };

describe('retryRefused', () => {
  it('makes the next attempt of a refused batch possible, and opens its account', async () => {
    const batch = await world.sending();
    await endCall(world.ledger, batch, { verdict: 'refused', reason: 'bad login', evidence: {} });
    await retryRefused(world.ledger, keyOf(batch), because);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({
      state: 'ready',
      attempt: 2,
      not_before: null,
    });
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({ ...because, move: 'retry', to_state: 'ready' });
    const again = await declareNow(world.ledger, keyOf(batch));
    expect(again).toBeDefined();
  });

  const others = (Object.keys(BATCH_STATES) as BatchState[]).filter((state) => state !== 'refused');
  it.each(others)('refuses a batch that is %s', async (state) => {
    const batch = await world.batchIn(state);
    const before = await readBatchRow(world.ledger, keyOf(batch));
    await expect(retryRefused(world.ledger, keyOf(batch), because)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(before);
  });

  it('gives it a number that no attempt has had', async () => {
    const batch = await world.batchIn('refused');
    await world.ledger.pool.query(
      `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, call)
       VALUES ($1, 1, 7, 'w', 'h', 1, now(), gen_random_uuid())`,
      [batch.file_id],
    );
    await retryRefused(world.ledger, keyOf(batch), because);
    expect((await readBatchRow(world.ledger, keyOf(batch))).attempt).toBe(8);
  });
});

describe('withdrawBatch', () => {
  it.each([
    ['reconciled', 'partly_cancelled'],
    ['submitted', 'in_progress'],
    ['unknown', 'in_progress'],
    ['ready', 'in_progress'],
  ] as const)('ends the file only when the other batch is final: %s gives %s', async (other, end) => {
    const { file_id: fileId } = await world.accepted({ batches: 2 });
    await world.putFile(fileId, 'in_progress');
    await world.putBatch({ fileId, batchNo: 1 }, 'refused');
    await world.putBatch({ fileId, batchNo: 2 }, other);
    expect(await withdrawBatch(world.ledger, { fileId, batchNo: 1 }, because)).toBe(end);
    expect((await readBatchRow(world.ledger, { fileId, batchNo: 1 })).state).toBe('cancelled');
    expect(await readFileState(world.ledger, fileId)).toBe(end);
  });

  const others = (Object.keys(BATCH_STATES) as BatchState[]).filter((state) => state !== 'refused');
  it.each(others)('refuses a batch that is %s', async (state) => {
    const batch = await world.batchIn(state);
    await expect(withdrawBatch(world.ledger, keyOf(batch), because)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe(state);
  });
});

describe('nextAttempt', () => {
  it.each([
    ['the calls on record', 4, 7, 8],
    ['the count of the batch', 9, 7, 10],
  ])('goes by %s, whichever is higher', async (_what, counted, recorded, next) => {
    const { file_id: fileId } = await world.accepted();
    const key = { fileId, batchNo: 1 };
    await world.putBatch(key, 'refused');
    const { pool } = world.ledger;
    await pool.query('UPDATE batch SET attempt = $2 WHERE file_id = $1', [fileId, counted]);
    await pool.query(
      `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, call)
       VALUES ($1, 1, $2, 'w', 'h', 1, now(), gen_random_uuid())`,
      [fileId, recorded],
    );
    expect(await transact(world.ledger, (tx) => nextAttempt(tx, key))).toBe(next);
  });
});
