import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../kernel/errors.ts';
import { type ClusterPlace, dataFolderOf } from './cluster.ts';

/** What a running server says about itself; the socket folder is empty while it starts. */
export type PostmasterFile = { pid: number; port: number; socketFolder: string };

/** Reads postmaster.pid: process id, data folder, start time, port and socket folder, one per line. */
export async function readPostmasterFile(place: ClusterPlace): Promise<PostmasterFile | undefined> {
  try {
    const lines = (await readFile(pathOf(place), 'utf8')).split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3] ?? 0), socketFolder: lines[4] ?? '' };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Returns whether the process is the live server of this cluster. An id alone proves nothing: after a power cut, and
 * nearly always after a container restart, it belongs to another process.
 */
export async function isPostmaster(pid: number, place: ClusterPlace): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // A killed server that was not reaped yet is a zombie, state Z: it has an id but no longer runs.
  if (!/^\d+ \(postgres\) [^ZX]/.test(stat)) return false;
  // Readable for the same user and for root, except in a container that drops root's rights; then the name must do.
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return folder === undefined || folder === (await realpath(dataFolderOf(place)));
}

/**
 * Removes the lock files of a dead server whose process id now belongs to another process. PostgreSQL would take that
 * process for a live server and never start. Otherwise it clears them itself.
 */
export async function removeMisleadingFiles(place: ClusterPlace): Promise<void> {
  const file = await readPostmasterFile(place);
  if (!file || !isAlive(file.pid) || (await isPostmaster(file.pid, place))) return;
  await rm(pathOf(place), { force: true });
  if (file.socketFolder !== '') await rm(join(file.socketFolder, `.s.PGSQL.${file.port}.lock`), { force: true });
}

function pathOf(place: ClusterPlace): string {
  return join(dataFolderOf(place), 'postmaster.pid');
}

/** Returns whether a process with this id exists, under any user; false for an invalid id. */
export function isAlive(pid: number): boolean {
  // Zero and negative ids would address whole groups of processes.
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
