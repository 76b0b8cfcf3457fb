import { randomBytes } from 'node:crypto';
import { chmod, cp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../kernel/errors.ts';
import { repairBinaries } from './repair-binaries.ts';

/**
 * Copies PostgreSQL (60 MB) to where every user may run it. The copy gets its name when it is complete. If several
 * processes copy at once, the first wins and the others discard theirs.
 */
export async function copyBinaries(folder: string, target: string): Promise<void> {
  const draft = `${target}.${randomBytes(6).toString('hex')}`;
  try {
    await cp(folder, draft, { recursive: true, verbatimSymlinks: true });
    await openForAll(draft);
    await repairBinaries(draft);
    await rename(draft, target).catch(ignoreExisting);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Opens the copy to other users, whom the umask or the modes of a private checkout would keep out. */
async function openForAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openForAll(path);
    else if (entry.isFile()) await chmod(path, 0o644);
  }
}

function ignoreExisting(error: unknown): void {
  if (!['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) throw error;
}
