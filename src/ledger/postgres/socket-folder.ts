import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ClusterPlace } from './cluster.ts';
import { makePrivateFolder } from './private-folder.ts';
import { canReach } from './run-program.ts';
import { startFailed } from './start-failed.ts';

/** Longest socket path that the kernel takes, in bytes: sun_path without its final zero. */
const LONGEST_SOCKET_PATH = process.platform === 'linux' ? 107 : 103;

/**
 * Returns the folder for the server's socket, created if missing: 0700 and owned by the server's user. It is `run`
 * beside the data, or a temporary folder with a fixed name if that path is too long for a socket.
 */
export async function chooseSocketFolder(place: ClusterPlace): Promise<string> {
  for (const folder of socketFolders(place)) {
    if (isTooLong(folder) || !(await isOpenFor(place, dirname(folder)))) continue;
    await makePrivateFolder(folder, place.user);
    return folder;
  }
  throw startFailed(
    place.home,
    'its path is too long for a socket, and no temporary folder can be used instead',
    'Use a data folder with a shorter path, or set DATABASE_URL.',
  );
}

function socketFolders(place: ClusterPlace): string[] {
  const uid = place.user?.uid ?? process.getuid?.();
  const name = `paydrop-${uid}-${createHash('sha256').update(place.home).digest('hex').slice(0, 16)}`;
  return [join(place.home, 'run'), join(tmpdir(), name), join('/tmp', name)];
}

function isTooLong(folder: string): boolean {
  return Buffer.byteLength(join(folder, '.s.PGSQL.5432')) > LONGEST_SOCKET_PATH;
}

/** Returns whether the server's user can get there: root's TMPDIR may be in root's home. */
async function isOpenFor(place: ClusterPlace, folder: string): Promise<boolean> {
  return place.user === undefined || canReach(place.user, folder);
}
