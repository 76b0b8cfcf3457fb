import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { explainSystemError } from './list-folder.ts';

/**
 * Proves at startup that drops can be claimed, by moving a hidden file from the drop folder into the work folder.
 * Comparing device numbers is not enough: two mounts of one file system share a number and still refuse a rename.
 * @throws PipelineError FOLDER_OTHER_DISK, FOLDER_NOT_WRITABLE, FOLDER_MISSING, DISK_FULL
 */
export async function checkSameFileSystem(folder: string, workRoot: string): Promise<void> {
  const probe = `.paydrop-${randomBytes(8).toString('hex')}.tmp`;
  const before = join(folder, probe);
  const after = join(workRoot, probe);
  let action = `write into the folder "${folder}"`;
  try {
    await writeFile(before, '', { flag: 'wx', mode: 0o600 });
    action = `move files from "${folder}" to "${workRoot}"`;
    await rename(before, after);
  } catch (error) {
    throw explainSystemError(error, action);
  } finally {
    await Promise.allSettled([rm(before, { force: true }), rm(after, { force: true })]);
  }
}
