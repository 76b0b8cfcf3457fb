import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ClusterPlace } from './cluster.ts';
import { makePrivateFolder } from './private-folder.ts';
import { canReach } from './run-program.ts';
import { startFailed } from './start-failed.ts';

/** Longest path of a socket in bytes that the kernel takes: sun_path less its final zero. */
const LONGEST_SOCKET_PATH = process.platform === 'linux' ? 107 : 103;

/**
 * The folder for the server's socket, made when missing: 0700 and owned by the server's user. It is `run` beside the
 * data unless that path is too long for a socket; then a folder of the same name each time among the temporary ones.
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

/** TMPDIR of root may lie in root's home. */
async function isOpenFor(place: ClusterPlace, folder: string): Promise<boolean> {
  return place.user === undefined || canReach(place.user, folder);
}
