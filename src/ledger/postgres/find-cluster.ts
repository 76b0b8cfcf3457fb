import { chmod, chown, lstat, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { release } from 'node:os';
import { makeFolders, syncFolderNow } from '../../kernel/folders.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { sha256Of } from '../../kernel/hash.ts';
import type { Log } from '../../kernel/log.ts';
import {
  canReach,
  chooseServerUser,
  type Cluster,
  type ClusterPlace,
  dataFolderOf,
  runProgram,
  type ServerUser,
  startFailed,
  makePrivateFolder,
  makeSharedFolder,
  replaceFile,
} from './cluster.ts';
import { isAlive } from './ask-server.ts';

/**
 * Decides where the cluster of a data folder lives and as which user it runs, and creates its home folder.
 *
 * It lives in `<dataDir>/postgres`. Only if paydrop runs as root and the server's user cannot get there, it lives in
 * `<sharedFolder>/clusters/<hash of dataDir>`, and `<dataDir>/WHERE.txt` says so. The decision is permanent. A cluster
 * that cannot be found again stops paydrop, because an empty ledger in its place would forget what was sent.
 */
export async function findCluster(dataDir: string, sharedFolder: string, log: Log): Promise<ClusterPlace> {
  await makeFolders(dataDir);
  const real = await realpath(dataDir);
  const near = join(real, 'postgres');
  const far = join(sharedFolder, 'clusters', sha256Of(real).slice(0, 16));
  const owner = (await ownerOf(near)) ?? (await ownerOf(far));
  refuseForeignOwner(real, owner);
  const user = await chooseServerUser(owner);
  const home = (await isFarAway({ real, near, far, user, log })) ? far : near;
  if (home === far) await makeWayTo(far, real, user);
  await makePrivateFolder(home, user);
  // Written before the cluster exists, so that it can always be found.
  if (home === far) await leaveNote(real, far, user);
  return { dataDir: real, home, user };
}

type Question = { real: string; near: string; far: string; user: ServerUser | undefined; log: Log };

async function isFarAway({ real, near, far, user, log }: Question): Promise<boolean> {
  if (await hasData({ dataDir: real, home: near, user })) return false;
  const named = await readNote(real);
  if (named !== undefined) {
    if (named !== far)
      throw startFailed(
        real,
        `its WHERE.txt names the PostgreSQL data of another folder, "${named}"`,
        `If the folder was moved, rename those data to "${far}" and correct WHERE.txt; if it is a copy, remove WHERE.txt.`,
      );
    if (!(await ownerOf(far)))
      throw startFailed(
        real,
        `its PostgreSQL data are missing from "${far}"`,
        'Restore them from a backup, or remove WHERE.txt to begin with an empty ledger.',
      );
    return true;
  }
  // Only root ever creates a cluster elsewhere.
  if (!user) return false;
  if (await hasData({ dataDir: real, home: far, user }))
    throw startFailed(
      real,
      `"${far}" holds the PostgreSQL data of an earlier folder of this name`,
      'Restore the earlier folder, or move those data away to begin with an empty ledger.',
    );
  return !(await letPass(user, real, log));
}

/** Returns whether the user can enter the data folder, after opening it if only its own mode is in the way. */
async function letPass(user: ServerUser, dataDir: string, log: Log): Promise<boolean> {
  if (await canReach(user, dataDir)) return true;
  const { uid, mode } = await stat(dataDir);
  // A closed folder above is not ours to open, and a folder with rights for others is set up on purpose.
  if (uid !== 0 || (mode & 0o077) !== 0 || !(await canReach(user, dirname(dataDir)))) return false;
  // The group may pass through to names it knows, but not list or read: everything beside the cluster stays closed.
  await chown(dataDir, 0, user.gid);
  await chmod(dataDir, 0o710);
  log.info({ dataDir, user: user.name }, 'opened the data folder for the user that PostgreSQL runs as');
  return canReach(user, dataDir);
}

async function makeWayTo(far: string, real: string, user: ServerUser | undefined): Promise<void> {
  await makeSharedFolder(dirname(dirname(far)));
  await makeSharedFolder(dirname(far));
  if (user && !(await canReach(user, dirname(far)))) {
    throw startFailed(real, `user "${user.name}" cannot enter it or "${dirname(far)}"`);
  }
}

function refuseForeignOwner(real: string, owner: { uid: number } | undefined): void {
  const uid = process.getuid?.();
  if (!owner || uid === 0 || owner.uid === uid) return;
  throw startFailed(
    real,
    `its PostgreSQL data belong to another user (uid ${owner.uid})`,
    'Start paydrop as that user or as root, or set DATABASE_URL.',
  );
}

async function ownerOf(folder: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    return await lstat(folder);
  } catch (error) {
    // EACCES: where other users' clusters live is not our business.
    if (['ENOENT', 'EACCES'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

const NOTE_NAME = 'WHERE.txt';

/** Writes it into the data folder, unless it exists. Its second line is read back, the rest is for people. */
export async function leaveNote(dataDir: string, home: string, user: ServerUser | undefined): Promise<void> {
  if ((await readNote(dataDir)) !== undefined) return;
  const lines = [
    'The PostgreSQL data of this folder live in',
    home,
    `because paydrop was started as root, PostgreSQL then runs as user "${user?.name}", and that user may not enter`,
    dataDir,
    'Back them up together with this folder, and keep this file: it is how paydrop finds its ledger.',
    '',
  ];
  await replaceFile(join(dataDir, NOTE_NAME), lines.join('\n'));
}

/** @returns the home folder that the note names, empty when it names none; undefined when there is no note */
export async function readNote(dataDir: string): Promise<string | undefined> {
  const note = await ifThere(readFile(join(dataDir, NOTE_NAME), 'utf8'));
  return note === undefined ? undefined : (note.split('\n')[1] ?? '');
}

/**
 * Returns whether the cluster was initialized. The data folder appears by one rename, so it is complete once it exists.
 */
export async function hasData(place: ClusterPlace): Promise<boolean> {
  return (await ifThere(stat(join(dataFolderOf(place), 'PG_VERSION')))) !== undefined;
}

/** The major version of PostgreSQL that a version of its programs belongs to. */
export function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}

/** Returns the major version of PostgreSQL that made the data; undefined when there are none. */
export async function readMajor(place: ClusterPlace): Promise<number | undefined> {
  const version = await ifThere(readFile(join(dataFolderOf(place), 'PG_VERSION'), 'utf8'));
  return version === undefined ? undefined : majorOf(version);
}

/** Folder inside the home where an upgrade makes the new data (upgrade-database.ts). */
export const UPGRADE_NAME = 'upgrade';

/** Returns the place of the new data while an upgrade makes them. */
export function upgradePlace(place: ClusterPlace): ClusterPlace {
  return { ...place, home: join(place.home, UPGRADE_NAME) };
}

/** Written beside the new data when they are whole, with what was done. After it, only the two renames are left. */
export const REPORT_NAME = 'upgraded.json';

/**
 * Refuses the empty database that an earlier version of paydrop, which knows of no upgrade, makes between the two renames.
 * In its place belongs the whole ledger that waits in the folder of the upgrade.
 */
export async function refuseBetween(place: ClusterPlace): Promise<void> {
  const next = upgradePlace(place);
  if (!(await hasData(next)) || !(await hasData(place))) return;
  const report = await ifThere(readFile(join(next.home, REPORT_NAME), 'utf8'));
  if (report === undefined) return;
  const kept = { ...place, home: (JSON.parse(report) as { keptIn: string }).keptIn };
  if (!(await ifThere(stat(dataFolderOf(kept))))) return;
  const reason = 'an earlier version of paydrop made an empty database before the upgrade was finished';
  const then = 'Keep that folder: it has the files that were taken in meanwhile, which "paydrop doctor" names.';
  throw new PipelineError('LEDGER_OTHER_POSTGRES', `open the database in "${place.home}"`, reason, {
    next: `Stop that version, move "${dataFolderOf(place)}" away, and run "paydrop database upgrade" again. ${then}`,
  });
}

/** Any other error, such as one of the disk, must not pass for something that is missing. */
async function ifThere<Found>(finding: Promise<Found>): Promise<Found | undefined> {
  try {
    return await finding;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Refuses data of another major version of PostgreSQL than these programs have. It reads one file and changes nothing.
 * @throws PipelineError LEDGER_OTHER_POSTGRES
 */
export async function refuseOtherMajor(place: ClusterPlace, version: string): Promise<void> {
  await refuseBetween(place);
  const made = await readMajor(place);
  const own = majorOf(version);
  if (made === own) return;
  const refuse = (reason: string, next?: string) =>
    new PipelineError('LEDGER_OTHER_POSTGRES', `open the database in "${place.home}"`, reason, next ? { next } : {});
  if (made === undefined) {
    // Between its two renames, an upgrade has moved the old data away and the new ones are not in place.
    if (await hasData(upgradePlace(place)))
      throw refuse('its upgrade is not finished', 'Run "paydrop database upgrade" to finish it.');
    return;
  }
  const reason = `its data were made by PostgreSQL ${made}, and this version of paydrop brings PostgreSQL ${own}`;
  throw made < own
    ? refuse(reason)
    : refuse(
        reason,
        'Nothing was changed. Data cannot go back to an older PostgreSQL: install the newer paydrop again.',
      );
}

/**
 * Creates the cluster with its database in a draft folder, syncs all of it at once, and renames it at the end. Of
 * several processes at once, the first wins and the others discard theirs. A process that dies midway leaves nothing that
 * passes for a ledger.
 */
export async function initCluster(cluster: Cluster): Promise<void> {
  const draft = `init-${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await runInitdb(cluster, draft);
    await createDatabase(cluster, draft);
    if (cluster.fsync) await run(cluster, 'initdb', [`--pgdata=${draft}`, '--sync-only', syncMethod()]);
    await publishData(cluster, draft);
  } finally {
    await rm(join(cluster.home, draft), { recursive: true, force: true });
    await removeAbandonedDrafts(cluster);
  }
}

/**
 * Has Linux write the whole file system at once: on a busy disk that takes a tenth of the time of 1,300 files one by one.
 * Before 5.8 it kept silent about errors of the disk while it did so.
 * @param kernel as `uname -r` writes it
 */
export function syncMethod(platform: string = process.platform, kernel = release()): string {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  const tellsErrors = platform === 'linux' && (major > 5 || (major === 5 && minor >= 8));
  return `--sync-method=${tellsErrors ? 'syncfs' : 'fsync'}`;
}

async function runInitdb(cluster: Cluster, draft: string): Promise<void> {
  await run(cluster, 'initdb', [
    `--pgdata=${draft}`,
    '--username=paydrop',
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
    '--locale=C',
    // Upper and lower case of all letters, from PostgreSQL's own tables: the same on every machine.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    '--no-sync',
  ]);
}

/** Uses single-user mode, where a failed statement exits with status 0 unless told to exit on errors. */
async function createDatabase(cluster: Cluster, draft: string): Promise<void> {
  const words = ['--single', '-D', draft, '-F', '-c', 'exit_on_error=true', 'template1'];
  await run(cluster, 'postgres', words, 'CREATE DATABASE paydrop;\n');
}

async function run(cluster: Cluster, program: string, words: readonly string[], input?: string): Promise<void> {
  const path = join(await cluster.findPrograms(), program);
  const running = runProgram(path, words, {
    user: cluster.user,
    folder: cluster.home,
    ...(input !== undefined && { input }),
  });
  cluster.meanwhile();
  const { status, output } = await running;
  if (status !== 0) throw startFailed(cluster.home, output);
}

async function publishData(cluster: Cluster, draft: string): Promise<void> {
  try {
    await rename(join(cluster.home, draft), dataFolderOf(cluster));
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) throw error;
    return;
  }
  if (cluster.fsync) syncFolderNow(cluster.home);
  cluster.log.info({ home: cluster.home }, 'embedded PostgreSQL initialised');
}

/** Removes drafts of processes that died midway; each takes 40 MB. */
async function removeAbandonedDrafts(cluster: Cluster): Promise<void> {
  for (const name of await readdir(cluster.home)) {
    const pid = /^init-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(join(cluster.home, name), { recursive: true, force: true });
  }
}
