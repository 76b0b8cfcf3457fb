import { afterAll, beforeAll, expect, it } from 'vitest';
import { listBatches } from '../../../src/ledger/file/list-files.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

it('listBatches pages by number, and tells no token of a worker', async () => {
  const { file_id: fileId } = await world.accepted({ batches: 4 });
  await world.accepted({ batches: 4 });
  await world.putBatch({ fileId, batchNo: 3 }, 'preparing');
  const page = await listBatches(world.ledger, fileId, { from: 2, limit: 2 });
  expect(page.map((batch) => [batch.batch_no, batch.state])).toEqual([
    [2, 'ready'],
    [3, 'preparing'],
  ]);
  expect(page[1]).not.toHaveProperty('token');
  expect(await listBatches(world.ledger, fileId, { from: 5, limit: 2 })).toEqual([]);
});
