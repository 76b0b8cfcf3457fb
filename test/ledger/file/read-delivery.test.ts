import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDelivery, recordOutput } from '../../../src/ledger/file/complete-file.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('readDelivery', () => {
  it('reads the file, its outputs by kind, and how many of its batches are open', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 3 });
    await world.putBatch({ fileId, batchNo: 1 }, 'reconciled');
    await world.putBatch({ fileId, batchNo: 2 }, 'cancelled');
    for (const kind of ['ack', 'result'] as const) {
      await recordOutput(world.ledger, fileId, { kind, name: kind, sha256: 'ff', bytes: 1, rows: 2 });
    }
    expect(await readDelivery(world.ledger, fileId)).toEqual({
      file: await readFileRow(world.ledger, fileId),
      written: new Set(['ack', 'result']),
      batches: 3,
      openBatches: 1,
      corrections: [],
    });
  });

  it('knows a file without batches and outputs, and none that was never claimed', async () => {
    const { file_id: fileId } = await world.claimed();
    expect(await readDelivery(world.ledger, fileId)).toMatchObject({ written: new Set(), batches: 0, openBatches: 0 });
    await expect(readDelivery(world.ledger, 'nosuchfile')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
