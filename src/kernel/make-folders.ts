import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { systemCode } from './errors.ts';

/**
 * Creates a folder and its missing parents. Node's recursive `mkdir` loops forever where the system keeps no files,
 * such as in /proc, where a link may lead.
 * @throws the system's error, such as EEXIST where a file stands in the place
 */
export async function makeFolders(folder: string, mode?: number): Promise<void> {
  const missing: string[] = [];
  for (let at = resolve(folder); !(await isThere(at)); at = dirname(at)) missing.unshift(at);
  for (const dir of missing) await makeOne(dir, mode);
  if (missing.length === 0) await makeOne(resolve(folder), mode);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' && dirname(path) !== path) return false;
    throw error;
  }
}

/** Creates one folder, which another process may have just created. */
async function makeOne(dir: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(dir, mode);
  } catch (error) {
    // An existing folder is fine, whatever error the attempt returned.
    const there = await stat(dir).catch(() => undefined);
    if (!there?.isDirectory()) throw error;
  }
}
