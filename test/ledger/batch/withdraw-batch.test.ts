import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { withdrawBatch } from '../../../src/ledger/batch/retry-refused.ts';
import { readBatchRow, readFileState } from '../../../src/ledger/file/read-file.ts';
import { keyOf, type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'the sender sends it anew' };

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
