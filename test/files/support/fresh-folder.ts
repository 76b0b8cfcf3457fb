import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** Creates a folder that is removed when the test ends. */
export async function freshFolder(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, 'paydrop-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const PARENTS = ['/dev/shm', '/tmp', '/var/tmp', fileURLToPath(new URL('../../../node_modules', import.meta.url))];

/** Creates a folder on another file system than the others, which may lie on a disk or in memory. */
export async function freshFolderElsewhere(): Promise<string> {
  const { dev } = await stat(tmpdir());
  for (const parent of PARENTS) {
    const found = await stat(parent).catch(() => undefined);
    if (found && found.dev !== dev) return freshFolder(parent);
  }
  throw new Error(`there is one file system only: ${tmpdir()} and ${PARENTS.join(', ')} are on the same`);
}

/** Creates the folders of one installation. */
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

/** Returns a path whose last part need not be UTF-8. */
export function bytePath(folder: string, name: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)]);
}
