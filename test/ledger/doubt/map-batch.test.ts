import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, type LedgerWorld, openTestLedger, outcomesOf } from '../../support/ledger-world.ts';
import { disownBatch, mapBatch } from '../../../src/ledger/doubt/resolution-actions.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'the later result is right' };

describe('mapBatch', () => {
  it('ends an exception with one outcome for each row, under the batch id that it has', async () => {
    const batch = await world.batchIn('exception');
    await transact(world.ledger, (tx) => mapBatch(tx, keyOf(batch), outcomesOf(batch), because));
    const mapped = { state: 'reconciled', batch_id: batch.batch_id, result_at: world.clock.now() };
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject(mapped);
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({
      ...because,
      move: 'map',
      from_state: 'exception',
    });
  });

  it('writes nothing when the outcomes are not those of its rows', async () => {
    const batch = await world.batchIn('exception');
    const map = transact(world.ledger, (tx) => mapBatch(tx, keyOf(batch), [], because));
    await expect(map).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
  });

  it('says in which state a batch is that is none', async () => {
    const batch = await world.batchIn('submitted');
    const map = transact(world.ledger, (tx) => mapBatch(tx, keyOf(batch), outcomesOf(batch), because));
    await expect(map).rejects.toThrow(/^Cannot map batch 1 of file "\w+": it is submitted\./);
    const disown = transact(world.ledger, (tx) => disownBatch(tx, { fileId: 'nobody', batchNo: 1 }, because));
    await expect(disown).rejects.toThrow('the ledger does not know it');
  });
});
