import { constants } from 'node:fs';
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { randomBytes } from 'node:crypto';
import { systemCode } from '../../kernel/errors.ts';
import { type ServerUser, startFailed } from './cluster.ts';

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
