import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../../kernel/errors.ts';

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
