import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BatchKey } from '../../../src/ledger/moves/move.ts';
import { nextToSend } from '../../../src/ledger/queries/next-to-send.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

async function nextOf(account: string): Promise<BatchKey | undefined> {
  const { rows } = await world.ledger.pool.query<{ file_id: string; batch_no: number }>(nextToSend('$1::text'), [
    account,
  ]);
  return rows[0] && { fileId: rows[0].file_id, batchNo: rows[0].batch_no };
}

it('goes through the batches of a file, then to the file that was claimed next', async () => {
  const { file_id: first, account } = await world.accepted({ batches: 2 });
  const { file_id: second } = await world.accepted({ account });
  await world.accepted();
  for (const key of [
    { fileId: first, batchNo: 1 },
    { fileId: first, batchNo: 2 },
    { fileId: second, batchNo: 1 },
  ]) {
    expect(await nextOf(account)).toEqual(key);
    await world.putBatch(key, 'submitted');
  }
  expect(await nextOf(account)).toBeUndefined();
});

it('passes a file that is held until it is accepted', async () => {
  const { file_id: held, account } = await world.held();
  const { file_id: accepted } = await world.accepted({ account });
  expect(await nextOf(account)).toEqual({ fileId: accepted, batchNo: 1 });
  await world.putFile(held, 'accepted');
  expect(await nextOf(account)).toEqual({ fileId: held, batchNo: 1 });
});
