import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { releaseBatch } from '../../../src/ledger/batch/prepare-batch.ts';
import { receiveResult, reconcileBatch } from '../../../src/ledger/batch/receive-result.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { readBatchFacts, readFileFacts } from '../../../src/ledger/file/read-why.ts';
import { keyOf, type LedgerWorld, openTestLedger, outcomesOf } from '../../support/ledger-world.ts';
import { forget } from '../support/forget.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

async function reconciled(fileId: string, batchNo: number): Promise<void> {
  const batch = await world.putBatch({ fileId, batchNo }, 'submitted');
  const file = await readFileRow(world.ledger, fileId);
  await receiveResult(world.ledger, keyOf(batch), { sealed: Buffer.from('x'), sha256: 'x', rows: batch.rows });
  await reconcileBatch(world.ledger, keyOf(batch), file.file_no, outcomesOf(batch), {});
}

describe('readFileFacts', () => {
  it('tells batches by their state, open ones apart, and outcomes summed up', async () => {
    const file = await world.accepted({ batches: 9 });
    await reconciled(file.file_id, 1);
    await reconciled(file.file_id, 2);
    const facts = await readFileFacts(world.ledger, file);
    expect(facts.groups).toEqual([
      { state: 'reconciled', batches: 2, rows: 4, cents: 1_400, first: 1 },
      { state: 'ready', batches: 7, rows: 14, cents: expect.any(Number), first: 3 },
    ]);
    expect(facts.open.map((batch) => batch.batch_no)).toEqual([3]);
    expect(facts.outcomes).toEqual([{ outcome: 'approved', rows: 4, cents: 1_400 }]);
    expect(facts.links.map((link) => link.move)).toEqual(['claim', 'accept']);
    expect(facts.madeFrom).toBeNull();
  });

  it('counts the faults per code', async () => {
    const file = await world.held({ withheld: 1 });
    await world.ledger.pool.query(
      `INSERT INTO row_fault (file_no, seq, line, code)
       VALUES ($1, 1, 2, 'CARD_BRAND'), ($1, 2, 3, 'AMOUNT_ZERO'), ($1, 3, 4, 'AMOUNT_ZERO')`,
      [file.file_no],
    );
    expect((await readFileFacts(world.ledger, file)).faults).toEqual([
      { code: 'AMOUNT_ZERO', faults: 2 },
      { code: 'CARD_BRAND', faults: 1 },
    ]);
  });
});

describe('readBatchFacts', () => {
  it('tells the attempts, and how often it was put back, without a link for each', async () => {
    const batch = await world.prepared();
    await releaseBatch(world.ledger, batch, 'nobody answers');
    const file = await readFileRow(world.ledger, batch.file_id);
    const facts = await readBatchFacts(world.ledger, file, batch);
    expect(facts).toMatchObject({ attempts: [], links: [], ahead: 0, isBarred: false });
    expect(facts.releases).toMatchObject({ times: 1, lastReason: 'nobody answers' });
    const sent = await world.sending();
    const sentFacts = await readBatchFacts(world.ledger, await readFileRow(world.ledger, sent.file_id), sent);
    expect(sentFacts.attempts).toMatchObject([{ attempt: 1, host: 'service.test', request_bytes: 1_000 }]);
    expect(sentFacts.links.map((link) => link.move)).toEqual(['send']);
    expect(sentFacts.releases.times).toBe(0);
  });

  it('counts the batches of the account that go before it', async () => {
    const first = await world.accepted({ account: 'queue', batches: 2 });
    const second = await world.accepted({ account: 'queue', batches: 2 });
    await world.held({ account: 'queue' });
    const aheadOf = async (file: typeof first, batchNo: number) => {
      const batch = await readBatchRow(world.ledger, { fileId: file.file_id, batchNo });
      return (await readBatchFacts(world.ledger, file, batch)).ahead;
    };
    expect([await aheadOf(first, 1), await aheadOf(first, 2), await aheadOf(second, 2)]).toEqual([0, 1, 3]);
  });

  it('knows one whose bytes were sent before', async () => {
    const batch = await world.batchIn('ready');
    await forget(world.ledger, { account: batch.account, sha256: batch.body_sha256 });
    const file = await readFileRow(world.ledger, batch.file_id);
    expect((await readBatchFacts(world.ledger, file, batch)).isBarred).toBe(true);
  });

  it('sums up the outcomes of this batch alone', async () => {
    const file = await world.accepted({ batches: 2 });
    await reconciled(file.file_id, 1);
    await reconciled(file.file_id, 2);
    const batch = await readBatchRow(world.ledger, { fileId: file.file_id, batchNo: 2 });
    expect((await readBatchFacts(world.ledger, file, batch)).outcomes).toEqual([
      { outcome: 'approved', rows: 2, cents: 900 },
    ]);
  });
});
