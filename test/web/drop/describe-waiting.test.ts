import { afterAll, beforeAll, expect, it } from 'vitest';
import { noteUpload } from '../../../src/ledger/transfer/note-upload.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { describeWaiting } from '../../../src/web/drop/drop-routes.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

it('describeWaiting names who dropped the same bytes, until they are taken', async () => {
  const { ledger } = world;
  const app = { ledger, account: () => ({ timeZone: 'America/Toronto' }) } as unknown as Parameters<
    typeof describeWaiting
  >[0];
  const upload = { account: 'main', folder: 'drop', name: 'a.csv', sha256: 'ab', bytes: 1, actor: 'operator:ada' };
  const uploadNo = await noteUpload(ledger, upload);
  const ask = (account: string, sha256: string) => describeWaiting(app, { account }, sha256);
  expect(await ask('main', 'ab')).toBe(
    'ada dropped the same bytes as "a.csv" at 2026-06-15 06:00:00 -04:00, and they are not taken yet. Of two, one is refused.',
  );
  expect(await ask('main', 'cd')).toBeNull();
  expect(await ask('other', 'ab')).toBeNull();
  const file = await world.claimed();
  await ledger.pool.query('UPDATE upload SET file_id = $2 WHERE upload_no = $1', [uploadNo, file.file_id]);
  expect(await ask('main', 'ab')).toBeNull();
});
