import { afterAll, beforeAll, expect, it } from 'vitest';
import { bindingOfBatch, bindingOfFile } from '../../../src/ledger/proposal/propose.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

it('bindingOfFile has the bytes, rows, money and state of a file', async () => {
  const { file_id: fileId, sha256 } = await world.held({ rowsPerBatch: 2 });
  const found = await transact(world.ledger, (tx) => bindingOfFile(tx, fileId));
  expect(found).toEqual({ sha256, rows: 2, cents: 500, state: 'held' });
});

it('bindingOfFile of a file that was not read has no rows, and throws for one that is not known', async () => {
  const { file_id: fileId } = await world.claimed();
  const bind = (id: string) => transact(world.ledger, (tx) => bindingOfFile(tx, id));
  expect(await bind(fileId)).toMatchObject({ rows: 0, cents: 0, state: 'claimed' });
  await expect(bind('nosuchfile')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('bindingOfBatch has the attempt besides', async () => {
  const { file_id: fileId } = await world.accepted({ rowsPerBatch: 2 });
  const { body_sha256: sha256 } = await readBatchRow(world.ledger, { fileId, batchNo: 1 });
  const bind = (batchNo: number) => transact(world.ledger, (tx) => bindingOfBatch(tx, { fileId, batchNo }));
  expect(await bind(1)).toEqual({ sha256, rows: 2, cents: 500, attempt: 1, state: 'ready' });
  await expect(bind(9)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
