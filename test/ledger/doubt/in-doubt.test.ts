import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endAttempt } from '../../../src/ledger/batch/end-attempt.ts';
import {
  describeDoubt,
  findBatchById,
  findSentElsewhere,
  readCallInDoubt,
  readInDoubt,
  readNeighbours,
} from '../../../src/ledger/doubt/in-doubt.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { keyOf, type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('readInDoubt', () => {
  it('tells of each batch in doubt its calls, what came too late, and the batches around it', async () => {
    const account = 'main';
    await world.batchIn('reconciled', { account });
    await world.force(`UPDATE batch SET batch_id = '1000001', submitted_at = $1`, ['2026-06-15T09:00:00Z']);
    const batch = await world.sending({ account });
    const evidence = { bytesWritten: 900, bytesRead: 0 };
    await endAttempt(world.ledger, batch, { verdict: 'unknown', reason: 'reset', evidence });
    const late = { verdict: 'submitted', batchId: '1000002', firstPollMs: 0, evidence: { text: 'taken' } } as const;
    await endAttempt(world.ledger, batch, late);

    const found = await readInDoubt(world.ledger);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      batch: { file_id: batch.file_id, state: 'unknown', rows: 2 },
      file: { account, operation: 'ach-charge' },
      attempts: [{ attempt: 1, host: 'service.test', request_bytes: 1_000, verdict: 'unknown', evidence }],
      lateAnswers: [
        { reason: 'the service gave it batch id 1000002', evidence: { text: 'taken', batchId: '1000002' } },
      ],
      reports: [],
      before: { batchId: '1000001' },
      after: undefined,
      proposal: undefined,
    });
    const row = await readBatchRow(world.ledger, keyOf(batch));
    expect(await describeDoubt(world.ledger, row)).toEqual(found[0]);
    expect(await readNeighbours(world.ledger, row)).toEqual({ before: found[0]!.before, after: undefined });
    const call = { calledAt: new Date(START), callNo: expect.any(Number), isTimed: false };
    expect(await readCallInDoubt(world.ledger, keyOf(batch))).toEqual(call);
  });
});

describe('findBatchById', () => {
  it('knows the batches of the same account only', async () => {
    expect(await findBatchById(world.ledger, 'main', '1000001')).toMatchObject({ batchNo: 1 });
    expect(await findBatchById(world.ledger, 'other', '1000001')).toBeUndefined();
    expect(await findBatchById(world.ledger, 'main', '1000009')).toBeUndefined();
  });
});

describe('findSentElsewhere', () => {
  it('finds rows of the same invoice that other batches of the account sent, and not those never sent', async () => {
    const [doubt] = await readInDoubt(world.ledger);
    const other = await world.batchIn('reconciled', { account: 'main' });
    const invoice = `INV-${other.file_id}-2`;
    const find = () => findSentElsewhere(world.ledger, doubt!.batch, [invoice]);
    expect(await find()).toEqual([]);
    const insert = `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, verdict, call)
                    VALUES ($1, 1, 1, 'w', 'h', 1, $2, 'submitted', gen_random_uuid())`;
    await world.force(insert, [other.file_id, new Date(START)]);
    expect(await find()).toMatchObject([{ invoice, amountCents: 200, lastFour: '0001' }]);
    await world.force(`UPDATE attempt SET started_at = '2024-05-01' WHERE file_id = $1`, [other.file_id]);
    expect(await find()).toHaveLength(1);
  });
});
