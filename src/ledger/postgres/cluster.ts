import { dirname, join } from 'node:path';
import { constants } from 'node:fs';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import type { Log } from '../../kernel/log.ts';
import { PipelineError, reasonOf, systemCode } from '../../kernel/errors.ts';

/** Where a database cluster lives, and as which user its server runs. */
export type ClusterPlace = {
  /** The data folder of the installation, as the kernel spells it. */
  dataDir: string;
  /** Folder of the whole cluster: 0700, owned by the server's user. */
  home: string;
  /** Undefined when the server runs as our own user, as it does for everyone but root. */
  user: ServerUser | undefined;
};

export type Cluster = ClusterPlace & {
  fsync: boolean;
  log: Log;
  /** Returns the folder of initdb, pg_ctl and postgres, made usable for `user` at the first call. */
  findPrograms(): Promise<string>;
  /** Called while a program of PostgreSQL runs, which may take long; perhaps more than once. */
  meanwhile(): void;
};

/**
 * Names inside the home folder. The programs run there and get these relative names, because pg_ctl puts them into a
 * shell command. The shell would interpret a dollar sign or quote in a longer path.
 */
export const DATA_NAME = 'data';
export const LOG_NAME = 'server.log';

export function dataFolderOf(place: ClusterPlace): string {
  return join(place.home, DATA_NAME);
}

export function logFileOf(place: ClusterPlace): string {
  return join(place.home, LOG_NAME);
}

export type ServerUser = { name: string; uid: number; gid: number };

/** PostgreSQL's own user where its package is installed (`_postgres` on macOS), else the user that owns nothing. */
const CANDIDATES = ['postgres', '_postgres', 'nobody'];

/**
 * Chooses the server's user when paydrop runs as root, which PostgreSQL refuses. An existing cluster keeps its owner,
 * so that `sudo paydrop status` joins the server that an ordinary user started.
 *
 * @param owner owner of the cluster's folder, if there is one
 * @returns undefined when the server runs as our own user
 */
export async function chooseServerUser(
  owner: { uid: number; gid: number } | undefined,
  passwdFile = '/etc/passwd',
): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = readUsers(await readFile(passwdFile, 'utf8').catch(() => ''));
  if (owner && owner.uid !== 0) {
    const name = users.find((user) => user.uid === owner.uid)?.name ?? `uid ${owner.uid}`;
    return { name, uid: owner.uid, gid: owner.gid };
  }
  const found = CANDIDATES.flatMap((name) => users.find((user) => user.name === name) ?? [])[0];
  if (found) return found;
  throw startFailed(
    passwdFile,
    'PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody"',
    'Start paydrop as an ordinary user, or set DATABASE_URL.',
  );
}

/** Returns the system's users, without those of uid 0 or gid 0. */
export function readUsers(passwd: string): ServerUser[] {
  return passwd.split('\n').flatMap((line) => {
    const [name = '', , uid = '', gid = ''] = line.split(':');
    const user = { name, uid: Number(uid), gid: Number(gid) };
    return name !== '' && user.uid > 0 && user.gid > 0 ? [user] : [];
  });
}

/** What systems, Node and PostgreSQL say when the disk is full; 53100 is PostgreSQL's code. */
const DISK_FULL =
  /No space left on device|Disk quota exceeded|ENOSPC|EDQUOT|wrote only \d+ of \d+ bytes|Check free disk space|^53100$/;

/** Returns whether a full disk is the reason: what was thrown, or a text. */
export function isDiskFull(reason: unknown): boolean {
  const text = typeof reason === 'string' ? reason : reasonOf(reason);
  return DISK_FULL.test(text) || DISK_FULL.test(systemCode(reason) ?? '') || systemCode(reason) === 'DISK_FULL';
}

/**
 * Creates the one error of this folder, LEDGER_START_FAILED.
 * @param where the data or cluster folder
 * @param reason what a program or PostgreSQL's log said, or what was thrown; the log holds no data values
 *   (start-server.ts), so its lines may be shown
 * @param next what to do, when the table's advice does not fit
 */
export function startFailed(where: string, reason: unknown, next?: string): PipelineError {
  const text = typeof reason === 'string' ? reason : reasonOf(reason);
  const isFull = isDiskFull(reason);
  const advice = isFull ? 'Free some space and start again.' : next;
  return new PipelineError(
    'LEDGER_START_FAILED',
    `start the embedded PostgreSQL in "${where}"`,
    isFull ? `the disk is full (${shorten(text)})` : shorten(text),
    { ...(reason instanceof Error && { cause: reason }), ...(advice !== undefined && { next: advice }) },
  );
}

/** Keeps the last lines, which say what went wrong. */
function shorten(text: string): string {
  const lines = text.split('\n').flatMap((line) => line.trim() || []);
  return lines.slice(-4).join(' / ').replace(/\.+$/, '') || 'it gave no reason';
}

/** `status` is null when the program could not run or was killed; `output` then says why. */
export type Run = { status: number | null; output: string };

/**
 * The whole environment of PostgreSQL. Ours is not passed on: it may hold the master key and passwords, which the
 * server's user could read. PG variables or a locale would change what the programs do.
 *
 * Memory that a statement needed stays with its session for the next one, up to 32 MB. By default the C library gives it
 * back after each statement and takes it anew in small pieces, which costs as much again as planning the statement.
 */
export const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
  MALLOC_TOP_PAD_: String(4 * 1024 ** 2),
  MALLOC_MMAP_THRESHOLD_: String(16 * 1024 ** 2),
  MALLOC_TRIM_THRESHOLD_: String(32 * 1024 ** 2),
};

const LONGEST_OUTPUT = 16_000;

/**
 * Runs a program to its end, as another user if given (only root can).
 * @returns exit status and what it wrote to both outputs; never throws
 */
export function runProgram(
  program: string,
  words: readonly string[],
  options: { user: ServerUser | undefined; folder: string; input?: string },
): Promise<Run> {
  const { user, folder, input = '' } = options;
  return new Promise((resolve) => {
    const child = spawn(program, words, {
      cwd: folder,
      env: ENVIRONMENT,
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    let output = '';
    const keep = (text: string) => {
      output = (output + text).slice(-LONGEST_OUTPUT);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('error', (error) => resolve({ status: null, output: error.message }));
    child.on('close', (status, signal) => resolve({ status, output: output || `${program} ended by ${signal}` }));
    // A program that ends without reading breaks the pipe; its exit status says enough.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/**
 * Returns whether the user may pass through the folder. It asks the kernel as that user, because access lists, mounts
 * and security modules matter as much as the mode bits.
 */
export async function canReach(user: ServerUser, folder: string): Promise<boolean> {
  const run = await runProgram('/bin/sh', ['-c', 'test -x "$1"', 'sh', folder], { user, folder: '/' });
  return run.status === 0;
}

/**
 * Creates a folder that only one user can enter (0700), or takes an existing one. After creation it uses an open handle
 * that follows no links, so that no process can swap the folder meanwhile.
 * @throws PipelineError LEDGER_START_FAILED when the name is a link or a file, or belongs to another user
 */
export async function makePrivateFolder(path: string, owner: ServerUser | undefined): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch(ignoreExisting);
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await open(path, flags).catch((error: unknown) => {
    if (!['ELOOP', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error;
    throw startFailed(path, 'it is a link or a file instead of a folder', 'Remove it and start again.');
  });
  try {
    const { uid, mode } = await handle.stat();
    if (uid !== process.getuid?.() && uid !== owner?.uid) {
      throw startFailed(path, `it belongs to another user (uid ${uid})`, 'Remove it, or start paydrop as that user.');
    }
    if (owner && uid !== owner.uid) await handle.chown(owner.uid, owner.gid);
    if ((mode & 0o777) !== 0o700) await handle.chmod(0o700);
  } finally {
    await handle.close();
  }
}

/** For `catch`: another process was faster. */
export function ignoreExisting(error: unknown): void {
  if (!['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) throw error;
}

/**
 * Creates a folder that every user may enter (0755); an existing one stays as it is. The mode is set after creation,
 * because the administrator's umask may reduce it.
 */
export async function makeSharedFolder(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await mkdir(path);
    await chmod(path, 0o755);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/**
 * Writes a small text file as a whole: a reader or another writer sees the old text or the new one, never a part. Only
 * the owner can read the file.
 */
export async function replaceFile(path: string, text: string, owner?: ServerUser): Promise<void> {
  const part = `${path}.${randomBytes(6).toString('hex')}`;
  // "wx" never follows a link planted under the name.
  const handle = await open(part, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    if (owner) await handle.chown(owner.uid, owner.gid);
    await handle.sync();
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}
