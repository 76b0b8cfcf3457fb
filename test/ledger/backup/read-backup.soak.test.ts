import { randomInt } from 'node:crypto';
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
  it('finds an altered byte wherever it is, every third of them in each run', async () => {
    for (let at = randomInt(3); at < whole.length; at += 3) await expectFound(folder, whole, at);
  }, 900_000);
});
