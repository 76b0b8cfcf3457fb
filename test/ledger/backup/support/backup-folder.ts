import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type BackupFolder = Awaited<ReturnType<typeof openBackupFolder>>;

/** Makes a folder for the backups of a test. */
export async function openBackupFolder() {
  const path = await mkdtemp(join(tmpdir(), 'paydrop-backup-'));
  return {
    path,
    file: (name: string) => join(path, name),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
