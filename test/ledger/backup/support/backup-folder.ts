import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type BackupFolder = Awaited<ReturnType<typeof openBackupFolder>>;

/** A folder for backups that goes with the test. */
export async function openBackupFolder() {
  const path = await mkdtemp(join(tmpdir(), 'paydrop-backup-'));
  return {
    path,
    file: (name: string) => join(path, name),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
