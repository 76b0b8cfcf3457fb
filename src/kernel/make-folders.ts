import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { systemCode } from './errors.ts';

/**
 * Makes a folder with those above it that are missing. Node's own way tries for ever where the system keeps no files, as in
 * /proc, which a link may lead to.
 * @throws the error of the system, such as EEXIST where a file stands in the place
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

/** Another process may have made it a moment ago. */
async function makeOne(dir: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(dir, mode);
  } catch (error) {
    // What is there need not be made, whatever the system says of the try.
    const there = await stat(dir).catch(() => undefined);
    if (!there?.isDirectory()) throw error;
  }
}
