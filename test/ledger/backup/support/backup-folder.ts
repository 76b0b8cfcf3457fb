import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { readBackup } from '../../../../src/ledger/backup/read-backup.ts';
import { writeBackup } from '../../../../src/ledger/backup/write-backup.ts';
import { openTestLedger } from '../../../support/ledger-world.ts';

/** Makes a folder for the backups of a test file or suite, and removes it behind them. */
export function useBackupFolder() {
  let path = '';
  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), 'paydrop-backup-'));
  });
  afterAll(() => rm(path, { recursive: true, force: true }));
  return { file: (name: string) => join(path, name) };
}

type BackupFolder = ReturnType<typeof useBackupFolder>;

/** Writes `whole`, the backup of a ledger with one file. @returns its bytes */
export async function makeBackup(folder: BackupFolder): Promise<Buffer> {
  const world = await openTestLedger();
  await world.accepted({ rowsPerBatch: 5 });
  await writeBackup(world.ledger, folder.file('whole'));
  await world.close();
  return readFile(folder.file('whole'));
}

/** Alters one byte and expects the reader to notice. */
export async function expectFound(folder: BackupFolder, whole: Buffer, at: number): Promise<void> {
  const altered = Buffer.from(whole);
  altered[at]! ^= 1;
  await writeFile(folder.file('altered'), altered);
  await expect(readBackup(folder.file('altered')), `byte ${at}`).rejects.toMatchObject({
    code: expect.stringMatching(/^BACKUP_(BROKEN|NEWER)$/),
  });
}
