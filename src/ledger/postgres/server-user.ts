import { readFile } from 'node:fs/promises';
import { startFailed } from './start-failed.ts';

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
