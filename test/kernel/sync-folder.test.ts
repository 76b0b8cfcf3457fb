import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { syncFolder, syncFolderNow } from '../../src/kernel/sync-folder.ts';

describe('syncFolder and syncFolderNow', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paydrop-sync-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('sync a folder that is there', async () => {
    await expect(syncFolder(folder)).resolves.toBeUndefined();
    expect(syncFolderNow(folder)).toBeUndefined();
  });

  it('say so when there is none, instead of promising what is not so', async () => {
    const absent = join(folder, 'absent');
    await expect(syncFolder(absent)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(() => syncFolderNow(absent)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });

  it.runIf(existsSync('/proc/self'))('differ on a file system that cannot sync folders', async () => {
    await expect(syncFolder('/proc/self')).resolves.toBeUndefined();
    expect(() => syncFolderNow('/proc/self')).toThrow('EINVAL');
  });
});
