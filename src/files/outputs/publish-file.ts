import { linkSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { systemCode } from '../../kernel/errors.ts';
import { lstatOrNothing } from '../list-folder.ts';

/**
 * Gives a file its final name unless that is taken. A link refuses a taken name atomically; a file system without links
 * needs a check and a rename. The temporary name may remain; the caller removes it.
 * @returns whether the file under the final name is the one just written
 */
export async function publishFile(temporary: string, path: string): Promise<boolean> {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    if (!NO_LINKS.has(systemCode(error) ?? '')) throw error;
  }
  if ((await lstatOrNothing(path)) !== undefined) return false;
  await rename(temporary, path);
  return true;
}

const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);
