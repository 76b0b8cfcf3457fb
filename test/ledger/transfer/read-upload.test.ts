import { afterAll, beforeAll, expect, it } from 'vitest';
import { findWaitingUpload, noteUpload, readUpload } from '../../../src/ledger/transfer/note-upload.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

it('readUpload tells who dropped what, and once it is taken the file and its state', async () => {
  const { ledger } = world;
  const upload = { account: 'main', folder: 'drop', name: 'a.csv', sha256: 'ab', bytes: 1, actor: 'operator:ada' };
  const uploadNo = await noteUpload(ledger, upload);
  const waiting = { folder: 'drop', name: 'a.csv', actor: 'operator:ada', file_id: null, state: null };
  expect(await readUpload(ledger, uploadNo)).toMatchObject(waiting);
  const file = await world.claimed();
  await ledger.pool.query('UPDATE upload SET file_id = $2 WHERE upload_no = $1', [uploadNo, file.file_id]);
  expect(await readUpload(ledger, uploadNo)).toMatchObject({ file_id: file.file_id, state: 'claimed' });
  expect(await readUpload(ledger, uploadNo + 1)).toBeUndefined();
});

it('findWaitingUpload finds the last of these bytes on the account that is not taken', async () => {
  const { ledger } = world;
  const upload = { account: 'main', folder: 'drop', name: 'a.csv', sha256: 'ef', bytes: 1, actor: 'operator:ada' };
  const first = await noteUpload(ledger, upload);
  await noteUpload(ledger, { ...upload, account: 'other' });
  expect(await findWaitingUpload(ledger, 'main', 'ef')).toMatchObject({ name: 'a.csv', actor: 'operator:ada' });
  await noteUpload(ledger, { ...upload, name: 'b.csv' });
  expect(await findWaitingUpload(ledger, 'main', 'ef')).toMatchObject({ name: 'b.csv' });
  const file = await world.claimed();
  await ledger.pool.query(`UPDATE upload SET file_id = $2 WHERE name = 'b.csv' OR upload_no = $1`, [
    first,
    file.file_id,
  ]);
  expect(await findWaitingUpload(ledger, 'main', 'ef')).toBeUndefined();
});
