import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import type { ServerUser } from './server-user.ts';

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
