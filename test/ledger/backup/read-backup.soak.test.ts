import { afterAll, beforeAll, describe, it } from 'vitest';
import { expectFound, makeBackup } from './support/altered-backup.ts';
import { type BackupFolder, openBackupFolder } from './support/backup-folder.ts';

let folder: BackupFolder;
let whole: Buffer;
beforeAll(async () => {
  folder = await openBackupFolder();
  whole = await makeBackup(folder);
});
afterAll(() => folder.remove());

describe('readBackup', () => {
  it('finds every altered byte', async () => {
    for (let at = 0; at < whole.length; at += 1) await expectFound(folder, whole, at);
  }, 900_000);
});
