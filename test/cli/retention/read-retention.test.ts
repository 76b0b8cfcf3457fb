import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isClean, readRetention } from '../../../src/cli/retention/read-retention.ts';
import type { Settings } from '../../../src/config/config.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { archivePath } from '../../../src/crypto/archive.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
let archive = '';
beforeAll(async () => {
  world = await openTestLedger();
  archive = await mkdtemp(join(tmpdir(), 'paydrop-retention-'));
});
afterAll(async () => {
  await world.close();
  await rm(archive, { recursive: true });
});

async function seal(fileId: string): Promise<void> {
  const path = archivePath(archive, fileId, new Date(START));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '');
}

it('readRetention tells originals that are kept, left over and unknown, and isClean minds the left ones only', async () => {
  const [kept, left, stranger] = [await world.claimed(), await world.claimed(), newFileId()];
  for (const fileId of [kept.file_id, left.file_id, stranger]) await seal(fileId);
  const settings = { accounts: new Map(), paths: { archive } } as unknown as Settings;
  const read = () => readRetention(world.ledger, settings, { from: new Date(START), to: new Date('2027-01-01') });
  const before = await read();
  expect(before).toMatchObject({ shredded: [], due: [], archive: { kept: 2, left: [], unknown: [stranger] } });
  expect(isClean(before)).toBe(true);

  await world.force('DELETE FROM file_secret WHERE file_id = $1', [left.file_id]);
  await world.force('UPDATE file SET shredded_at = $2 WHERE file_id = $1', [left.file_id, START]);
  const after = await read();
  expect(after.archive).toEqual({ kept: 1, left: [left.file_id], unknown: [stranger] });
  expect(after.shredded).toMatchObject([{ file_id: left.file_id, leftOver: ['original in the archive'] }]);
  expect(isClean(after)).toBe(false);
});
