import { randomBytes } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { explainSystemError } from '../explain-system-error.ts';
import { syncFolder } from '../../kernel/sync-folder.ts';

/**
 * Renames a file in the out folder to a name that no output uses, so that the right one can be written. Nothing is
 * deleted, and the file stays on its disk.
 * @returns the new name, `<name>.<8 hex digits>.forgotten`
 * @throws PipelineError FOLDER_NOT_WRITABLE, FOLDER_MISSING
 */
export async function setOutputAside(dir: string, name: string): Promise<string> {
  const aside = `${name}.${randomBytes(4).toString('hex')}.forgotten`;
  try {
    await rename(join(dir, name), join(dir, aside));
    await syncFolder(dir);
    return aside;
  } catch (error) {
    throw explainSystemError(error, `set aside the output "${name}"`);
  }
}
