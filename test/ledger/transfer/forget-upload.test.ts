import { afterAll, beforeAll, expect, it } from 'vitest';
import { forgetUpload, noteUpload, readUpload } from '../../../src/ledger/transfer/note-upload.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

it('forgetUpload takes the note back, says so in the audit trail, and lets the note of a file stand', async () => {
  const { ledger } = world;
  const upload = { account: 'main', folder: 'drop', name: 'a.csv', sha256: 'ab', bytes: 1, actor: 'operator:ada' };
  const [gone, kept] = [await noteUpload(ledger, upload), await noteUpload(ledger, upload)];
  const file = await world.claimed();
  await ledger.pool.query('UPDATE upload SET file_id = $2 WHERE upload_no = $1', [kept, file.file_id]);
  for (const uploadNo of [gone, kept]) await forgetUpload(ledger, uploadNo, 'operator:ada', 'the name was taken');
  expect(await readUpload(ledger, gone)).toBeUndefined();
  expect(await readUpload(ledger, kept)).toMatchObject({ file_id: file.file_id });
  const { rows } = await ledger.pool.query(`SELECT actor, reason FROM audit WHERE move = 'drop' ORDER BY seq`);
  expect(rows.slice(2)).toEqual([{ actor: 'operator:ada', reason: 'the name was taken' }]);
});
