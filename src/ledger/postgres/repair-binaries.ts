import { chmod, readdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { systemCode } from '../../kernel/errors.ts';

/**
 * Restores what an npm package cannot carry and its install script would have restored: the links between shared
 * libraries, and the right to execute. Several processes may do it at once.
 */
export async function repairBinaries(folder: string): Promise<void> {
  await restoreLinks(folder);
  for (const name of await readdir(join(folder, 'bin'))) await chmod(join(folder, 'bin', name), 0o755);
}

/** Restores links listed by both ends from the package root: `native/lib/libpq.so.5.18`, `native/lib/libpq.so.5`. */
async function restoreLinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const from = join(folder, relative('native', target));
    const to = join(folder, relative('native', source));
    await symlink(relative(dirname(from), to), from).catch(ignoreExisting);
  }
}

function ignoreExisting(error: unknown): void {
  if (systemCode(error) !== 'EEXIST') throw error;
}
