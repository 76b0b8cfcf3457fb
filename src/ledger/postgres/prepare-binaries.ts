import { access, chmod, cp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { ClusterPlace } from './cluster.ts';
import type { Binaries } from './find-binaries.ts';
import { repairBinaries } from './repair-binaries.ts';
import { type Run, runProgram } from './run-program.ts';
import { makeSharedFolder } from './shared-folder.ts';
import { startFailed } from './start-failed.ts';
import { systemCode } from '../../kernel/errors.ts';

/**
 * Makes initdb, pg_ctl and postgres runnable for the server's user. It takes them as they are, else repairs them in
 * place, else copies them once to where that user can reach them.
 * @param sharedFolder where root puts the copy; that of an ordinary user is in the data folder
 * @returns the folder of the three programs
 */
export async function prepareBinaries(binaries: Binaries, place: ClusterPlace, sharedFolder: string): Promise<string> {
  const { folder, version } = binaries;
  if ((await tryPrograms(folder, place)).status === 0) return join(folder, 'bin');

  // The repair fails in a folder that is not writable; then the copy counts.
  await repairBinaries(folder).catch(() => {});
  if ((await tryPrograms(folder, place)).status === 0) return join(folder, 'bin');

  const copy = join(place.user ? sharedFolder : place.dataDir, `postgres-${version}`);
  if (!(await exists(copy))) {
    await makeSharedFolder(dirname(copy));
    await copyBinaries(folder, copy);
  }
  const run = await tryPrograms(copy, place);
  if (run.status === 0) return join(copy, 'bin');
  throw startFailed(place.dataDir, `its programs do not run here: ${run.output}`, 'Set DATABASE_URL instead.');
}

/** Asks each program for its version as the server's user: this tests the path, execute rights and all libraries. */
async function tryPrograms(folder: string, place: ClusterPlace): Promise<Run> {
  if (/["$`\\\n]/.test(folder)) {
    return { status: null, output: `pg_ctl would read the path "${folder}" as shell syntax` };
  }
  const script = 'for name in initdb pg_ctl postgres; do "$1/bin/$name" --version || exit 1; done';
  return runProgram('/bin/sh', ['-c', script, 'sh', folder], { user: place.user, folder: '/' });
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

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
