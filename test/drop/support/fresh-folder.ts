import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder that is removed when the test has ended. */
export async function freshFolder(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, 'paydrop-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The folders of one installation. */
export async function freshFolders(): Promise<{ drop: string; work: string; quarantine: string; out: string }> {
  const root = await freshFolder();
  const folders = {
    drop: join(root, 'drop'),
    work: join(root, 'work'),
    quarantine: join(root, 'quarantine'),
    out: join(root, 'out'),
  };
  for (const folder of Object.values(folders)) await mkdir(folder);
  return folders;
}

/** A path whose last part is bytes that need not be UTF-8. */
export function bytePath(folder: string, name: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)]);
}
