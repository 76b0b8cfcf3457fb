import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTree } from '../../support/source-tree.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Copies the project to be spoiled, with its packages linked. Returns its folder and a function to remove it. */
export async function copyTree(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-defects-'));
  for (const { path } of readTree(ROOT)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(ROOT, path), join(folder, path));
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
