import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { systemCode } from '../../kernel/errors.ts';
import type { ServerUser } from './server-user.ts';
import { startFailed } from './start-failed.ts';

/**
 * Creates a folder that only one user can enter (0700), or takes an existing one. After creation it uses an open handle
 * that follows no links, so that no process can swap the folder meanwhile.
 * @throws PipelineError LEDGER_START_FAILED when the name is a link or a file, or belongs to another user
 */
export async function makePrivateFolder(path: string, owner: ServerUser | undefined): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch(ignoreExisting);
  const handle = await openFolder(path);
  try {
    await takeFolder(handle, path, owner);
  } finally {
    await handle.close();
  }
}

async function openFolder(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    if (!['ELOOP', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error;
    throw startFailed(path, 'it is a link or a file where a folder must be', 'Remove it and start again.');
  }
}

async function takeFolder(handle: FileHandle, path: string, owner: ServerUser | undefined): Promise<void> {
  const { uid, mode } = await handle.stat();
  if (uid !== process.getuid?.() && uid !== owner?.uid) {
    throw startFailed(path, `it belongs to another user (uid ${uid})`, 'Remove it, or start paydrop as that user.');
  }
  if (owner && uid !== owner.uid) await handle.chown(owner.uid, owner.gid);
  if ((mode & 0o777) !== 0o700) await handle.chmod(0o700);
}

function ignoreExisting(error: unknown): void {
  if (systemCode(error) !== 'EEXIST') throw error;
}
