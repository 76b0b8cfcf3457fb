import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBatchesHolding } from '../../../src/ledger/doubt/find-batches-holding.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('findBatchesHolding', () => {
  it('finds other batches of the account by an invoice of theirs', async () => {
    const file = await world.accepted({ account: 'main', batches: 2 });
    const other = await world.accepted({ account: 'main' });
    const foreign = await world.accepted({ account: 'side' });
    const batch = await readBatchRow(world.ledger, { fileId: file.file_id, batchNo: 1 });
    const find = async (...invoices: string[]) =>
      (await findBatchesHolding(world.ledger, batch, invoices)).map((row) => [row.file_id, row.batch_no, row.layout]);
    expect(await find(`INV-${file.file_id}-4`)).toEqual([[file.file_id, 2, 'ach']]);
    expect(await find('no invoice', `INV-${other.file_id}-2`)).toEqual([[other.file_id, 1, 'ach']]);
    expect(await find(`INV-${file.file_id}-2`, `INV-${foreign.file_id}-2`, '')).toEqual([]);
  });
});
