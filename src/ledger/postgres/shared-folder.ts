import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../../kernel/errors.ts';

/**
 * Makes a folder that everybody may enter (0755). The mode is set after the creation, because the umask of the
 * administrator may take it away. A folder that exists is left as it is.
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
